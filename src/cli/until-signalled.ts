/** Aborted by the first SIGTERM or SIGINT; a closed terminal (SIGHUP) does not matter to processes in the background. */
export function untilSignalled(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => controller.abort());
  process.on('SIGHUP', () => {});
  return controller.signal;
}
