import { pino } from 'pino';

export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** One JSON line on stderr for each event: its name and its fields. */
export function openLog(options: { readonly name: string }): Log {
  const logger = pino(
    { name: options.name, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  return (event, fields = {}) => logger.info({ event, ...fields });
}
