import type { ComponentStatus } from '../stack/stack-status.js';
import { alignedTable } from '../report/aligned-table.js';

/** The parts of the stack as an aligned table, with what is wrong below it. */
export function statusTable(components: readonly ComponentStatus[]): string {
  const rows = components.map((component) => [
    component.name,
    component.state,
    component.pid === null ? null : String(component.pid),
    component.version,
    component.address,
    component.started_at,
    component.beat_age_ms === null ? null : `${(component.beat_age_ms / 1000).toFixed(1)}s ago`,
  ]);
  const head = ['COMPONENT', 'STATE', 'PID', 'VERSION', 'ADDRESS', 'STARTED', 'BEAT'];
  const lines = [alignedTable({ head, rows })];
  for (const { name, problem } of components) {
    if (problem === null) continue;
    lines.push(
      `${name}: [${problem.code}] ${problem.message}${problem.hint === null ? '' : `\n  hint: ${problem.hint}`}`,
    );
  }
  return lines.join('\n');
}
