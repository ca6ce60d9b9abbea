import type { AgentClient } from '../agent/agent-client.js';
import { admitRun } from '../evidence/admit-run.js';
import type { Database } from '../evidence/database.js';
import { refuseRun } from '../evidence/end-run.js';
import { appendEvent, eventsAfter } from '../evidence/event-store.js';
import type { RunRow } from '../evidence/run-row.js';
import { findRun } from '../evidence/run-store.js';
import { samplesOf } from '../evidence/sample-store.js';
import { catalog } from '../faults/catalog.js';
import { contracts } from '../mechanisms/contracts.js';
import type { Binding } from '../model/binding.js';
import { MayhemError, MayhemErrors } from '../model/error.js';
import type { Decision } from '../model/policy.js';
import { programOf } from '../planner/program.js';
import { meets } from '../probes/probe-result.js';
import { runProbe } from '../probes/run-probe.js';
import type { ResolveHost } from '../probes/service-addresses.js';
import { serviceAddresses } from '../probes/service-addresses.js';
import { decide, effectiveFaultCap } from '../safety/decide.js';
import { refusalOf } from '../safety/refusal.js';
import { bindPlan } from '../topology/bind-plan.js';
import { PROJECT_LABEL, SERVICE_LABEL } from '../topology/compose-labels.js';
import { judgeBaseline, staleSources } from '../verdict/baseline.js';
import { closeRun } from './close-run.js';
import type { ControlActivities } from './drill-activities.js';
import { sampleRun } from './sample-run.js';

/** As long as `mayhem run` waits for a worker. */
const ADMIT_WITHIN_MS = 60_000;

export interface ControlDependencies {
  readonly db: Database;
  /** The agent of an engine. Throws `environment.mismatch` when this worker reaches none. */
  readonly agentOf: (engineId: string) => Promise<AgentClient>;
}

/** Errors that end a run before it begins; all others are tried again. */
const REFUSALS = new Set([
  'safety.refused',
  'capability.unsupported',
  'lease.conflict',
  'lease.closed',
  'starts.stopped',
  'starts.late',
  'target.missing',
  'target.ambiguous',
  'target.drift',
  'environment.mismatch',
]);

/** Activities on the workflow's own queue: stores, gates and probes for a drill. */
export function controlActivities(dependencies: ControlDependencies): ControlActivities {
  const { db } = dependencies;
  const now = () => new Date().toISOString();

  const requireRun = async (runId: string): Promise<RunRow> => {
    const run = await findRun(db, runId);
    if (run === null) throw new MayhemError('run.missing', `there is no run ${runId}`);
    return run;
  };

  const resolverOf = (run: RunRow): ResolveHost =>
    serviceAddresses({
      services: run.plan.blueprint.services.map((service) => service.name),
      nowMs: Date.now,
      containersOf: async (service) => {
        const agent = await dependencies.agentOf(run.request.engine_id);
        const project = run.request.project === null ? [] : [`${PROJECT_LABEL}=${run.request.project}`];
        return agent.containers({ labels: [`${SERVICE_LABEL}=${service}`, ...project] });
      },
    });

  return {
    async admit({ run_id }) {
      const run = await requireRun(run_id);
      const { plan, request } = run;
      const decisions: Decision[] = [...decide({ plan, allowCritical: request.allow_critical, catalog })];
      try {
        const refusal = refusalOf(decisions) ?? lateness(run);
        if (refusal !== null) throw refusal;
        const binding = run.binding ?? (await bind(dependencies, run));
        await admitRun(db, { runId: run_id, binding, decisions });
        // After the locks: what another run holds is its conflict, not a drift of the target.
        await assess(dependencies, binding);
        const program = programOf({
          runId: run_id,
          plan,
          leases: binding.leases,
          engineId: request.engine_id,
          maxFaults: effectiveFaultCap(plan),
          recoveryGraceMs: request.recovery_grace_ms,
          ignoreBaseline: request.ignore_baseline,
        });
        return { kind: 'admitted', program };
      } catch (error) {
        const first = error instanceof MayhemErrors ? error.errors[0] : error;
        if (!(first instanceof MayhemError) || !REFUSALS.has(first.code)) throw error;
        const problem = { code: first.code, message: (error as Error).message };
        await refuseRun(db, { runId: run_id, problem, decisions, at: now() });
        return { kind: 'refused' };
      }
    },

    async sample({ run_id, for_ms }) {
      const run = await requireRun(run_id);
      await sampleRun({ db, run, forMs: for_ms, resolve: resolverOf(run) });
    },

    async judgeBaseline({ run_id }) {
      const run = await requireRun(run_id);
      const samples = await samplesOf(db, run_id);
      const baseline = judgeBaseline({ entries: run.plan.steady_state, samples });
      const stale = staleSources({ entries: run.plan.steady_state, samples, nowMs: Date.now() });
      const entries = baseline.entries.map((entry) => ({
        ...entry,
        passed: entry.passed && !stale.includes(entry.id),
      }));
      const broken = entries.filter((entry) => !entry.passed).map((entry) => entry.id);
      await appendEvent(db, {
        runId: run_id,
        kind: 'baseline.evaluated',
        at: now(),
        payload: { passed: broken.length === 0, broken, stale, entries },
      });
      return { broken };
    },

    async check({ run_id, step_id }) {
      const run = await requireRun(run_id);
      const step = run.plan.steps.find((candidate) => candidate.step_id === step_id);
      if (step?.kind !== 'check') throw new MayhemError('plan.invalid', `run ${run_id} has no check ${step_id}`);
      const at = now();
      const result = await runProbe({
        probe: step.check.probe,
        resolve: resolverOf(run),
        signal: AbortSignal.timeout(60_000),
      });
      const { ok, why } = meets({ result, expect: step.check.expect });
      const latencyMs = result.error === null ? Math.round(result.latencyMs * 10) / 10 : null;
      await appendEvent(db, {
        runId: run_id,
        kind: 'check.evaluated',
        at,
        payload: {
          step_id,
          check_id: step.check.id,
          passed: ok,
          reason: why,
          sample: {
            source_id: step.check.id ?? step_id,
            slot: 0,
            at,
            ok,
            status: result.status,
            latency_ms: latencyMs,
            error: result.error,
          },
        },
      });
      return { passed: ok, reason: why };
    },

    async recordAbort({ run_id, halt }) {
      const { kind: haltKind, actor, reason } = halt;
      const kind = haltKind === 'aborted' ? 'run.abort_requested' : 'run.problem';
      // Who asked through the database has been recorded there and then.
      const events = await eventsAfter(db, { runId: run_id, seq: 0 });
      if (events.some((event) => event.kind === kind)) return;
      await appendEvent(db, {
        runId: run_id,
        kind,
        at: now(),
        payload: { actor, reason },
      });
    },

    finish: (end) => closeRun({ db, end, at: now() }),
  };
}

/** A run that nobody admitted in time is not started any more: whoever asked for it does not expect its faults now. */
function lateness(run: RunRow): MayhemError | null {
  const ageMs = Date.now() - Date.parse(run.created_at);
  if (run.binding !== null || ageMs <= ADMIT_WITHIN_MS) return null;
  return new MayhemError(
    'starts.late',
    `no worker took this run within ${ADMIT_WITHIN_MS / 1000} s: it is not started any more`,
    {
      hint: 'Start the drill again.',
    },
  );
}

/** The impact gate: what each fault needs is proven against host and target before anything is injected. */
async function assess(dependencies: ControlDependencies, binding: Binding): Promise<void> {
  const agent = await dependencies.agentOf(binding.engine_id);
  const problems = await agent.assess(binding.leases);
  const errors = problems.flatMap((problem, index) => {
    if (problem === null) return [];
    const lease = binding.leases[index];
    return [
      new MayhemError(
        problem.code,
        `${lease?.step_id} (${lease?.fault}): ${problem.message}`,
        problem.hint === null ? {} : { hint: problem.hint },
      ),
    ];
  });
  if (errors.length > 0) throw new MayhemErrors(errors);
}

async function bind(dependencies: ControlDependencies, run: RunRow): Promise<Binding> {
  const agent = await dependencies.agentOf(run.request.engine_id);
  return bindPlan({
    runId: run.run_id,
    plan: run.plan,
    request: run.request,
    containers: await agent.containers(),
    resourcesOf: ({ step, target }) => contracts[step.mechanism].resources({ target, params: step.mechanism_params }),
  });
}
