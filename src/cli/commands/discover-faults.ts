import { catalog } from '../../faults/catalog.js';
import { plannedFaults } from '../../faults/planned.js';
import { formatDuration } from '../../model/duration.js';
import { ExitCode } from '../../model/exit-code.js';
import type { FaultEntry } from '../../model/fault.js';
import { alignedTable } from '../../report/aligned-table.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, flag, textOption } from '../context.js';

const NOT_BUILT = 'not supported yet';

/** The catalog; faults that are not built yet only with `--all`, in JSON always. */
export async function run(context: CommandContext): Promise<CommandResult> {
  const engine = textOption(context, 'engine');
  const built = catalog.filter((entry) => engine === null || lanesOf(engine).includes(entry.lane));
  const planned = engine === null ? plannedFaults : [];
  const rows: (string | null)[][] = built.map((entry) => [
    entry.id,
    entry.risk,
    formatDuration(entry.capMs),
    entry.kinds.join(', '),
    entry.undoOutcomes.join(', '),
    entry.effect,
  ]);
  if (flag(context, 'all')) rows.push(...planned.map((id) => [id, null, null, null, null, NOT_BUILT]));
  return {
    data: { faults: [...built.map(builtJson), ...planned.map(plannedJson)] },
    text: alignedTable({ head: ['FAULT', 'RISK', 'CAP', 'TARGETS', 'UNDO', 'EFFECT'], rows }),
    exitCode: ExitCode.SUCCESS,
  };
}

const lanesOf = (engine: string) => (engine === 'kubernetes' ? ['k8s'] : ['container']);

function builtJson(entry: FaultEntry): Readonly<Record<string, unknown>> {
  return {
    id: entry.id,
    aliases: entry.aliases,
    category: entry.category,
    risk: entry.risk,
    cap_ms: entry.capMs,
    kinds: entry.kinds,
    undo_outcomes: entry.undoOutcomes,
    params: entry.params,
    effect: entry.effect,
    available: true,
    reason: null,
  };
}

const plannedJson = (id: string) => ({ id, aliases: [], params: [], available: false, reason: NOT_BUILT });
