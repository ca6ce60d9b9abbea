import { type ErrorCode, MayhemError } from '../model/error.js';
import type { LeaseSpec } from '../model/lease.js';
import { type AgentOptions, contextFor } from './agent-options.js';

/** Why a lease could not be prepared. */
export interface AssessedProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

/**
 * Whether each lease could be prepared now, by taking its snapshot and no more: read only. Null: yes; else why not.
 * Throws `engine.unreachable`: then nothing is known.
 */
export async function assessLeases(
  options: AgentOptions,
  specs: readonly LeaseSpec[],
): Promise<readonly (AssessedProblem | null)[]> {
  const context = contextFor(options);
  return Promise.all(
    specs.map(async (spec) => {
      try {
        await options.mechanisms[spec.mechanism].snapshot(context, spec);
        return null;
      } catch (error) {
        if (!(error instanceof MayhemError) || error.code === 'engine.unreachable') throw error;
        return { code: error.code, message: error.message, hint: error.hint ?? null };
      }
    }),
  );
}
