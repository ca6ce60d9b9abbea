import type { ContainerState } from '../engines/engine.js';
import { digestOf } from '../model/digest.js';
import type { Binding } from '../model/binding.js';
import { MayhemError } from '../model/error.js';
import { leaseIdOf } from '../model/ids.js';
import type { ContainerTarget, LeaseSpec } from '../model/lease.js';
import type { FaultStep, Plan } from '../model/plan.js';
import type { RunRequest } from '../model/run-request.js';
import { composeIdentityOf } from './compose-labels.js';
import { selectTargets } from './select-targets.js';

export interface BindPlanOptions {
  readonly runId: string;
  readonly plan: Plan;
  readonly request: RunRequest;
  /** All containers of the engine. */
  readonly containers: readonly ContainerState[];
  /** What a lease of this step on this target owns while open: its mechanism's contract says it. */
  readonly resourcesOf: (options: { readonly step: FaultStep; readonly target: ContainerTarget }) => readonly string[];
}

/**
 * Ties a plan's names to live containers, each pinned by id and start time. Containers are found by compose's labels, never by a
 * composed name. Throws `target.missing`, `target.ambiguous`, `safety.refused` (protected). Pure.
 */
export function bindPlan(options: BindPlanOptions): Binding {
  const { plan, request, runId } = options;
  const steps = plan.steps.filter((step) => step.kind === 'fault');
  const leases = steps.flatMap((step) =>
    containersOf(step, options).map((container): LeaseSpec => {
      refuseProtected(container, request);
      const target = targetOf(container, request.engine_id);
      return {
        lease_id: leaseIdOf({ runId, stepId: step.step_id, targetId: `${target.container_id}/${target.started_at}` }),
        run_id: runId,
        step_id: step.step_id,
        fault: step.fault,
        mechanism: step.mechanism,
        params: step.mechanism_params,
        target,
        duration_ms: step.duration_ms,
        resources: options.resourcesOf({ step, target }),
        recovery: step.recovery,
        grace_ms: request.agent_grace_ms,
      };
    }),
  );
  const identities = [
    ...new Set(leases.map((lease) => `${lease.target.container_id}@${lease.target.started_at}`)),
  ].sort();
  const body = {
    schema: 'mayhem/binding/v1',
    run_id: runId,
    plan_digest: plan.digest,
    engine_id: request.engine_id,
    project: request.project,
    environment_fingerprint: digestOf({
      engine_id: request.engine_id,
      identities,
      blueprint: digestOf(plan.blueprint),
    }),
    leases,
  } as const;
  return { ...body, digest: digestOf(body) };
}

/** The containers a step is for: the running ones of its service, or those of them that its selection takes. */
function containersOf(step: FaultStep, options: BindPlanOptions): readonly ContainerState[] {
  const { service, selection } = step.target;
  const candidates = runningOf(service, options);
  if (selection === undefined) return candidates;
  const seed = options.plan.seed === null ? options.runId : String(options.plan.seed);
  return selectTargets({ candidates, selection, draw: `${seed}/${service}`, what: `running containers of ${service}` });
}

function runningOf(service: string, options: BindPlanOptions): readonly ContainerState[] {
  const { project } = options.request;
  const named = options.containers.flatMap((container) => {
    const identity = composeIdentityOf(container.labels);
    return identity === null || identity.service !== service || identity.oneOff ? [] : [{ container, identity }];
  });
  const found = named.filter(({ identity }) => project === null || identity.project === project);
  const projects = [...new Set(found.map(({ identity }) => identity.project))].sort();
  if (projects.length > 1) {
    throw new MayhemError('target.ambiguous', `service ${service} runs in several projects: ${projects.join(', ')}`, {
      hint: 'name the project in the compose file (`name:`) or by COMPOSE_PROJECT_NAME',
      details: { candidates: found.map(({ container }) => container.name).sort() },
    });
  }
  const running = found.filter(({ container }) => container.running);
  if (running.length > 0) {
    return running
      .toSorted((a, b) => a.identity.number - b.identity.number || (a.container.name < b.container.name ? -1 : 1))
      .map(({ container }) => container);
  }
  if (found.length > 0) {
    const names = found.map(({ container }) => container.name).join(', ');
    throw new MayhemError('target.missing', `service ${service} has a container, but it is not running: ${names}`, {
      hint: 'start it: docker compose up -d',
    });
  }
  const elsewhere = [...new Set(named.map(({ identity }) => identity.project))].sort();
  throw new MayhemError(
    'target.missing',
    `no container of service ${service}${project === null ? '' : ` in project ${project}`} is on this engine`,
    {
      hint:
        elsewhere.length > 0
          ? `it runs in ${elsewhere.join(', ')}: set COMPOSE_PROJECT_NAME, or start this one with docker compose up -d`
          : 'start the stack: docker compose up -d',
    },
  );
}

function targetOf(container: ContainerState, engineId: string): ContainerTarget {
  const identity = composeIdentityOf(container.labels);
  return {
    kind: 'container',
    engine_id: engineId,
    container_id: container.id,
    started_at: container.startedAt,
    name: container.name,
    netns: container.netns,
    service: identity?.service ?? null,
    project: identity?.project ?? null,
  };
}

function refuseProtected(container: ContainerState, request: RunRequest): void {
  const { labels, names, projects } = request.protect;
  const label = labels.find((text) => {
    const [key, value] = text.split('=', 2) as [string, string | undefined];
    return value === undefined ? Object.hasOwn(container.labels, key) : container.labels[key] === value;
  });
  const why = label
    ? `label ${label}`
    : names.includes(container.name)
      ? 'its name'
      : projects.includes(composeIdentityOf(container.labels)?.project ?? '')
        ? 'its project'
        : null;
  if (why === null) return;
  throw new MayhemError('safety.refused', `${container.name} is protected by ${why}`, {
    hint: 'protected containers are never touched: choose another target, or change protect in mayhem.yaml',
  });
}
