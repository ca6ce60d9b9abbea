import type { Home } from './home.js';
import { readJsonFile, writeJsonFile } from './json-file.js';

/** Where the embedded parts listen and what the others are configured to; written at the first start, kept ever after. */
export interface StackFile {
  readonly schema: 'mayhem/stack/v1';
  /** Of the embedded server; kept, unused, while another is configured. */
  readonly postgres: { readonly port: number; readonly password: string };
  readonly temporal: { readonly port: number };
  /** What is used instead of the embedded parts; null: embedded. */
  readonly configured: { readonly database_url: string | null; readonly temporal_address: string | null };
  readonly namespace: string;
  readonly task_queue: string;
}

export function readStackFile(home: Home): StackFile | null {
  const file = readJsonFile<StackFile>(home.stackFile);
  return file?.schema === 'mayhem/stack/v1' ? file : null;
}

export function writeStackFile(home: Home, file: StackFile): void {
  writeJsonFile(home.stackFile, file);
}

export interface StackLocation {
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly taskQueue: string };
}

/** Where the parts of this stack are reached. */
export function locationOf(file: StackFile): StackLocation {
  const embedded = `postgres://mayhem:${file.postgres.password}@127.0.0.1:${file.postgres.port}/mayhem`;
  return {
    databaseUrl: file.configured.database_url ?? embedded,
    temporal: {
      address: file.configured.temporal_address ?? `127.0.0.1:${file.temporal.port}`,
      namespace: file.namespace,
      taskQueue: file.task_queue,
    },
  };
}
