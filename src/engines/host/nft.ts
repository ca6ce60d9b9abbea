import { MayhemError } from '../../model/error.js';
import { findProgram } from './find-program.js';
import type { NetworkRunner } from './network-namespace.js';
import type { ToolResult } from './run-tool.js';

const NFT_DEADLINE_MS = 5_000;

interface NftOptions {
  readonly inside: NetworkRunner;
  readonly signal: AbortSignal;
}

/** One table of the inet family as nft(8) tells it, as far as we read it. */
export interface NftTable {
  readonly chains: readonly NftChain[];
  /** Elements in its sets; those whose time is over are not told any more. */
  readonly elements: number;
}
export interface NftChain {
  readonly name: string;
  readonly hook: string | null;
  readonly rules: readonly NftRule[];
}
export interface NftRule {
  readonly comment: string | null;
  /** Packets its counter has seen. */
  readonly packets: number;
}

/** Loads a script (nft(8), -f) as one transaction: all of it or nothing. `check`: the kernel tries it and keeps nothing. */
export async function loadNft(
  options: NftOptions & { readonly script: string; readonly check?: boolean },
): Promise<void> {
  const flags = options.check === true ? ['--check'] : [];
  const result = await run(options, [...flags, '--file', '-'], options.script);
  if (result.code !== 0) throw failed(result);
}

/** Names of all tables, as `<family> <name>`, sorted. */
export async function listNftTables(options: NftOptions): Promise<readonly string[]> {
  const result = await run(options, ['--json', 'list', 'tables']);
  if (result.code !== 0) throw failed(result);
  return objectsOf(result.stdout)
    .flatMap(({ table }) => (table ? [`${table.family} ${table.name}`] : []))
    .sort();
}

/** One table of the inet family; null when there is none of this name. */
export async function readNftTable(options: NftOptions & { readonly table: string }): Promise<NftTable | null> {
  const result = await run(options, ['--json', 'list', 'table', 'inet', options.table]);
  if (result.code !== 0) {
    if (/No such file or directory/.test(result.stderr)) return null;
    throw failed(result);
  }
  return parseNftTable(result.stdout);
}

/** Reads what `nft --json list table` wrote (libnftables-json(5)). Pure. */
export function parseNftTable(text: string): NftTable {
  const objects = objectsOf(text);
  const rules = objects.flatMap(({ rule }) => (rule ? [rule] : []));
  return {
    chains: objects.flatMap(({ chain }) =>
      chain === undefined
        ? []
        : [
            {
              name: chain.name,
              hook: chain.hook ?? null,
              rules: rules
                .filter((rule) => rule.chain === chain.name)
                .map((rule) => ({
                  comment: rule.comment ?? null,
                  packets: (rule.expr ?? []).reduce((sum, { counter }) => sum + (counter?.packets ?? 0), 0),
                })),
            },
          ],
    ),
    elements: objects.reduce((sum, { set }) => sum + (set?.elem?.length ?? 0), 0),
  };
}

interface NftObject {
  readonly table?: { readonly family: string; readonly name: string };
  readonly chain?: { readonly name: string; readonly hook?: string };
  readonly set?: { readonly elem?: readonly unknown[] };
  readonly rule?: {
    readonly chain: string;
    readonly comment?: string;
    readonly expr?: readonly { readonly counter?: { readonly packets: number } }[];
  };
}

function objectsOf(text: string): readonly NftObject[] {
  try {
    const { nftables } = JSON.parse(text) as { readonly nftables?: readonly NftObject[] };
    if (nftables !== undefined) return nftables;
  } catch (error) {
    throw new MayhemError('engine.failed', 'nft wrote no JSON', { cause: error });
  }
  throw new MayhemError('engine.failed', 'nft wrote no list of objects');
}

async function run(options: NftOptions, args: readonly string[], stdin?: string): Promise<ToolResult> {
  const program = await findProgram('nft');
  if (program === null) {
    throw new MayhemError('tool.missing', 'nft is not installed on this host', { hint: 'install nftables' });
  }
  return options.inside.run({
    program,
    args,
    ...(stdin === undefined ? {} : { stdin }),
    withinMs: NFT_DEADLINE_MS,
    signal: options.signal,
  });
}

function failed({ stderr, code }: ToolResult): MayhemError {
  return new MayhemError('engine.failed', `nft: ${stderr.trim() || `exit ${code}`}`);
}
