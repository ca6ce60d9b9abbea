import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { type ErrorCode, MayhemError, MayhemErrors } from '../model/error.js';

/** Errors that may be gone at the next attempt: something did not answer, or an undo is not proven yet. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'agent.unreachable',
  'engine.unreachable',
  'database.unreachable',
  'temporal.unreachable',
  'undo.unproven',
]);
const BEAT_MS = 500;

type Activity = (input: never) => Promise<unknown>;

/**
 * The one place where an activity's errors become Temporal's: type = our code. Every activity beats twice a second while it works,
 * so that a dead worker's activities are given to another within seconds.
 */
export function atBoundary<T extends { readonly [name: string]: unknown }>(activities: T): T {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, wrap(activity as Activity)]),
  ) as T;
}

function wrap(activity: Activity): Activity {
  return async (input) => {
    const context = Context.current();
    context.heartbeat();
    const timer = setInterval(() => context.heartbeat(), BEAT_MS);
    try {
      return await activity(input);
    } catch (error) {
      throw failureOf(error);
    } finally {
      clearInterval(timer);
    }
  };
}

function failureOf(error: unknown): unknown {
  if (error instanceof CancelledFailure) return error;
  const first = error instanceof MayhemErrors ? error.errors[0] : error;
  if (first instanceof MayhemError) {
    return ApplicationFailure.create({
      type: first.code,
      message: (error as Error).message,
      nonRetryable: !RETRYABLE.has(first.code),
      details: [{ hint: first.hint ?? null, details: first.details }],
      cause: first,
    });
  }
  return error;
}
