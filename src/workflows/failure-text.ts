import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** What a failed activity's cause says, with its code: `target.drift: …`. */
export function failureText(error: unknown): string {
  const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type) return `${cause.type}: ${cause.message}`;
  return cause instanceof Error ? cause.message : String(cause);
}
