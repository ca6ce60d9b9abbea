import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { MayhemError } from '../model/error.js';
import type { StackLocation } from '../stack/stack-file.js';

const CALL_WITHIN_MS = 5000;

/** What the command line asks of Temporal, and no more. */
export interface DrillStarter {
  /** Starts the workflow of a run; a second call for the same run changes nothing. */
  start(runId: string): Promise<void>;
  abort(options: { readonly runId: string; readonly actor: string; readonly reason: string }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to Temporal. TLS, API key and headers come from Temporal's own environment variables and profile; the address is
 * the one given. Throws temporal.unreachable.
 */
export async function connectTemporal(options: {
  readonly temporal: StackLocation['temporal'];
  readonly env: NodeJS.ProcessEnv;
}): Promise<DrillStarter> {
  const { address, namespace, taskQueue } = options.temporal;
  const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars: textOnly(options.env) });
  const connection = await Connection.connect({ ...connectionOptions, address, connectTimeout: CALL_WITHIN_MS }).catch(
    (cause: unknown) => {
      throw unreachable(address, cause);
    },
  );
  const client = new Client({ connection, namespace });
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + CALL_WITHIN_MS, work);
    } catch (cause) {
      throw cause instanceof WorkflowExecutionAlreadyStartedError ? cause : unreachable(address, cause);
    }
  };
  return {
    async start(runId) {
      try {
        await call(() =>
          client.workflow.start('drill', {
            workflowId: runId,
            taskQueue,
            args: [{ run_id: runId }],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowTaskTimeout: '2s',
          }),
        );
      } catch (error) {
        // It ran and ended already: nothing is left to start.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    async abort({ actor, reason, runId }) {
      await call(() => client.workflow.getHandle(runId).signal('abort', { actor, reason }));
    },
    close: () => connection.close(),
  };
}

function unreachable(address: string, cause: unknown): MayhemError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MayhemError('temporal.unreachable', `Temporal at ${address} does not do what was asked: ${reason}`, {
    hint: 'See `mayhem status`; a configured server must be started by you.',
    details: { address },
    cause,
  });
}

function textOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
