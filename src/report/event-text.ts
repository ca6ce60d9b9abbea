import { formatDuration } from '../model/duration.js';
import { assertNever } from '../model/error.js';
import type { RunEvent } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import { listMember, member, numberMember, textMember } from '../model/json-member.js';

/** How an event bears on its run: `ok`, `bad`, or neither. */
export type EventMark = 'ok' | 'bad' | 'note';

export interface EventText {
  readonly mark: EventMark;
  readonly text: string;
  /** Told to who follows a run without asking for every event. */
  readonly told: boolean;
}

/** An event in words. */
export function eventText(event: Pick<RunEvent, 'kind' | 'payload'>): EventText {
  const p = reader(event.payload);
  const fault = `${p.text('fault')} on ${p.text('target')}`;
  switch (event.kind) {
    case 'run.created':
      return quiet(`created by ${p.text('actor')}`);
    case 'run.started':
      return { mark: 'note', told: true, text: `started, plan ${p.text('plan_digest').slice(0, 12)}` };
    case 'run.completed':
      return {
        mark: p.text('verdict') === 'pass' ? 'ok' : 'bad',
        told: true,
        text: `completed, verdict ${p.text('verdict')}`,
      };
    case 'run.failed':
      return { mark: 'bad', told: true, text: `failed, verdict ${p.text('verdict')}${p.problem()}` };
    case 'run.aborted':
      return { mark: 'bad', told: true, text: `aborted, verdict ${p.text('verdict')}` };
    case 'run.abort_requested':
      return { mark: 'note', told: true, text: `abort requested by ${p.text('actor')}: ${p.text('reason')}` };
    case 'run.problem':
      return { mark: 'bad', told: true, text: `stopped by ${p.text('actor')}: ${p.text('reason')}` };
    case 'step.started':
      return quiet(`step ${p.text('step_id')} started`);
    case 'step.finished':
      return event.payload['failed'] === true
        ? { mark: 'bad', told: true, text: `step ${p.text('step_id')} failed${p.problem()}` }
        : quiet(`step ${p.text('step_id')} finished`);
    case 'step.skipped':
      return { mark: 'note', told: true, text: `step ${p.text('step_id')} skipped` };
    case 'fault.armed':
      return quiet(`armed ${fault}`);
    case 'fault.injected':
      return injectedText(event.payload, p);
    case 'fault.observed':
      return quiet(`looked again at ${fault}: ${p.text('outcome')}`);
    case 'fault.recovered':
      return p.text('injection') === 'not_started'
        ? quiet(`nothing to undo: ${fault} was never injected`)
        : { mark: 'ok', told: true, text: `recovered ${fault} (${endText(p)})` };
    case 'fault.failed':
      return { mark: 'bad', told: true, text: `not undone: ${fault} (${endText(p)})${p.problem()}` };
    case 'agent.undone':
      return quiet(`the agent ended ${fault}`);
    case 'check.evaluated':
      return checkText(event.payload, p);
    case 'baseline.evaluated':
      return event.payload['passed'] === true
        ? { mark: 'ok', told: true, text: 'steady state holds before faults' }
        : { mark: 'bad', told: true, text: `steady state does not hold before faults: ${brokenIds(event.payload)}` };
    case 'criteria.evaluated':
      return quiet(`${listMember(event.payload, 'criteria').length} criteria evaluated`);
    case 'lease.state_changed':
      return quiet(`lease ${p.text('lease_id')} ${p.text('to')}`);
    case 'drift.reported':
      return { mark: 'note', told: true, text: `drift reported${p.problem()}` };
    case 'safety.refused':
      return { mark: 'bad', told: true, text: `refused${p.problem()}` };
    case 'safety.decided':
      return quiet(`${p.number('decisions')} safety decisions, ${p.number('refused')} refused`);
    case 'samples.recorded':
      return quiet(`${p.number('samples')} samples recorded`);
    default:
      return assertNever(event.kind);
  }
}

function quiet(text: string): EventText {
  return { mark: 'note', told: false, text };
}

interface Reader {
  readonly text: (name: string) => string;
  readonly number: (name: string) => number;
  /** `: what went wrong`, or nothing. */
  readonly problem: () => string;
}

function reader(payload: JsonObject): Reader {
  return {
    text: (name) => textMember(payload, name) ?? '?',
    number: (name) => numberMember(payload, name) ?? 0,
    problem: () => {
      const problem = textMember(payload['problem'], 'message') ?? textMember(payload, 'problem');
      return problem === null ? '' : `: ${problem}`;
    },
  };
}

function injectedText(payload: JsonObject, p: Reader): EventText {
  const outcome = p.text('outcome');
  const what = `injected ${p.text('fault')} ${formatDuration(p.number('duration_ms'))} into ${p.text('target')}`;
  if (outcome === 'confirmed') return { mark: 'ok', told: true, text: what };
  return { mark: 'bad', told: true, text: `${what}, but ${outcome.replaceAll('_', ' ')}${p.problem()}` };
}

/** `restored, 41 ms`, and who ended it when that was not the run itself. */
function endText(p: Reader): string {
  const by = p.text('released_by');
  return `${p.text('outcome')}, ${Math.round(p.number('undo_ms'))} ms${by === 'workflow' ? '' : `, by ${by}`}`;
}

function checkText(payload: JsonObject, p: Reader): EventText {
  const passed = payload['passed'] === true;
  const id = textMember(payload, 'check_id') ?? p.text('step_id');
  const { sample } = payload;
  const status = numberMember(sample, 'status');
  const latencyMs = numberMember(sample, 'latency_ms');
  const error = textMember(sample, 'error');
  const read = [
    ...(status === null ? [] : [String(status)]),
    ...(latencyMs === null ? [] : [`${latencyMs.toFixed(1)} ms`]),
    ...(error === null ? [] : [error]),
  ].join(', ');
  return {
    mark: passed ? 'ok' : 'bad',
    told: true,
    text: `check ${id} ${passed ? 'passed' : 'failed'}${read === '' ? '' : ` (${read})`}`,
  };
}

function brokenIds(payload: JsonObject): string {
  return listMember(payload, 'entries')
    .filter((entry) => member(entry, 'passed') === false)
    .flatMap((entry) => textMember(entry, 'id') ?? [])
    .join(', ');
}
