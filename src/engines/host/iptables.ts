import { MayhemError } from '../../model/error.js';
import { findProgram } from './find-program.js';
import type { NetworkRunner } from './network-namespace.js';
import type { ToolResult } from './run-tool.js';

const IPTABLES_DEADLINE_MS = 5_000;

/** iptables for IPv4, ip6tables for IPv6. */
export type IptablesFamily = 'iptables' | 'ip6tables';

interface IptablesOptions {
  readonly inside: NetworkRunner;
  readonly family: IptablesFamily;
  readonly signal: AbortSignal;
}

/** The lines of the filter table, as iptables-save(8) writes them: chains, then rules. */
export async function saveFilter(options: IptablesOptions): Promise<readonly string[]> {
  const result = await run(options, 'save', ['-t', 'filter']);
  return result.stdout.split('\n').filter((line) => /^[:-]/.test(line));
}

/**
 * Applies lines to the filter table as one transaction and leaves all else as it is (iptables-restore(8), --noflush). `check`: tries them and
 * keeps nothing.
 */
export async function restoreFilter(
  options: IptablesOptions & { readonly lines: readonly string[]; readonly check?: boolean },
): Promise<void> {
  const flags = options.check === true ? ['--test'] : [];
  await run(
    options,
    'restore',
    ['--noflush', '--wait', '5', ...flags],
    ['*filter', ...options.lines, 'COMMIT', ''].join('\n'),
  );
}

async function run(
  options: IptablesOptions,
  verb: 'save' | 'restore',
  args: readonly string[],
  stdin?: string,
): Promise<ToolResult> {
  const name = `${options.family}-${verb}`;
  const program = await findProgram(name);
  if (program === null) {
    throw new MayhemError('tool.missing', `${name} is not installed on this host`, { hint: 'install iptables' });
  }
  const result = await options.inside.run({
    program,
    args,
    ...(stdin === undefined ? {} : { stdin }),
    withinMs: IPTABLES_DEADLINE_MS,
    signal: options.signal,
  });
  if (result.code !== 0) {
    throw new MayhemError('engine.failed', `${name}: ${result.stderr.trim() || `exit ${result.code}`}`);
  }
  return result;
}
