import type { CommandSpec } from './command-spec.js';

/** Documented but not built yet. They take part in the resolution of prefixes, so that no prefix changes its meaning later. */
export const plannedCommands: readonly CommandSpec[] = [
  { name: 'init', summary: 'write a starter configuration and drill', planned: true },
  { name: 'doctor', summary: 'what this host can do', planned: true },
  { name: 'experiment', summary: 'one spec, explained', planned: true },
  { name: 'pause', summary: 'pause a run', planned: true },
  { name: 'resume', summary: 'resume a run', planned: true },
  { name: 'approve', summary: 'approve a run', planned: true },
  { name: 'reject', summary: 'reject a run', planned: true },
  { name: 'maniac', summary: 'random drill', planned: true },
  { name: 'janitor', summary: 'undo what any run left', planned: true },
  { name: 'export', summary: 'write runs to a SQLite bundle', planned: true },
  { name: 'import', summary: 'read a SQLite bundle', planned: true },
  { name: 'judge', summary: 'a new verdict beside the old one', planned: true },
  { name: 'report', summary: 'a report of a run', planned: true },
  { name: 'campaign', summary: 'named groups of drills', planned: true },
  { name: 'extend', summary: 'catalog and plug-ins', planned: true },
  { name: 'completion', summary: 'completion for a shell', planned: true },
];
