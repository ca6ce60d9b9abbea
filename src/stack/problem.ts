import { MayhemError } from '../model/error.js';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';
import type { Ending } from './life.js';
import { lastLines, logFileOf } from './log-file.js';
import type { Problem } from './notes.js';

export function problemOf(error: unknown): Problem {
  if (error instanceof MayhemError) return { code: error.code, message: error.message, hint: error.hint ?? null };
  return { code: 'stack.failed', message: error instanceof Error ? error.message : String(error), hint: null };
}

/** What a component's end says: the error it printed last, in the form of our own commands, else its exit code and log. */
export function endingProblem(options: {
  readonly home: Home;
  readonly name: ComponentName;
  readonly ending: Ending;
}): Problem {
  const path = logFileOf(options.home, options.name);
  const lines = lastLines({ path, count: 5 });
  lines.reverse();
  for (const line of lines) {
    const error = /^error\[([a-z.]+)\]:? (.*)$/.exec(line);
    if (error !== null) return { code: error[1] as string, message: error[2] as string, hint: null };
  }
  const last = lines[0];
  const { code, signal } = options.ending;
  const how = signal !== null ? `was ended by ${signal}` : code === null ? 'ended' : `ended with exit code ${code}`;
  return {
    code: 'stack.failed',
    message: `${options.name} ${how}${last === undefined ? '' : `: ${last}`}`,
    hint: `Its log is ${path}.`,
  };
}

/** Another process, which the supervisor did not start, is the engine's agent and serves this home: nothing is missing. */
export function isServedElsewhere(problem: Problem): boolean {
  return problem.code === 'agent.locked';
}
