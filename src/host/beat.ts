import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const BEAT_MS = 1_000;

/** Touches `file` each second for as long as the event loop turns: a process that hangs is seen by its file growing old. */
export function keepBeating(options: { readonly file: string; readonly signal: AbortSignal }): void {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
  const beat = () => {
    try {
      const now = new Date();
      utimesSync(options.file, now, now);
    } catch {
      writeFileSync(options.file, '');
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
