import { type Home, locateHome } from '../stack/home.js';
import type { OwnProgram } from '../stack/node-component.js';
import type { Output } from './output.js';
import type { ParsedOptions } from './parse-options.js';

/** What a command may use of the world around it. */
export interface CommandContext {
  readonly output: Output;
  readonly parsed: ParsedOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly uid: number;
  readonly own: OwnProgram;
}

export function homeOf(context: CommandContext): Home {
  return locateHome({ env: context.env, uid: context.uid });
}

export function textOption(context: CommandContext, name: string): string | null {
  const value = context.parsed.options[name];
  return typeof value === 'string' ? value : null;
}

export function flag(context: CommandContext, name: string): boolean {
  return context.parsed.options[name] === true;
}

export function listOption(context: CommandContext, name: string): readonly string[] {
  const value = context.parsed.options[name];
  return Array.isArray(value) ? value : [];
}

export function argument(context: CommandContext, index: number): string | null {
  const value = context.parsed.arguments[index];
  return typeof value === 'string' ? value : null;
}

/** All values of a positional argument that takes several. */
export function argumentList(context: CommandContext, index: number): readonly string[] {
  const value = context.parsed.arguments[index];
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
}
