import type { ArgumentSpec, CommandSpec, OptionSpec } from './command-spec.js';
import { plannedCommands } from './planned-commands.js';
import { blueprintOptions } from './root-options.js';

const SPEC: ArgumentSpec = { usage: '[spec]', summary: 'drill file (default: mayhem.yaml beside the compose file)' };
const RUN: ArgumentSpec = { usage: '<run>', summary: 'run id, as `mayhem inspect runs` lists them' };

const runOptions: readonly OptionSpec[] = [
  ...blueprintOptions,
  { flags: '-d, --detach', summary: 'start the run and return; `mayhem attach` follows it' },
  { flags: '--require-pass', summary: 'exit 6 for a run that is undecided for want of a success block' },
  { flags: '--ignore-baseline', summary: 'inject even when the steady state is broken before' },
  { flags: '--engine <engine>', summary: 'container engine', choices: ['docker', 'podman', 'kubernetes', 'host'] },
  { flags: '--wait [time]', summary: 'wait for a target that another run holds', planned: true },
  { flags: '--from-plan <file>', summary: 'preview a stored plan', planned: true },
  { flags: '--plan-id <run>', summary: 'preview the plan of a run', planned: true },
  { flags: '--diff <plan>', summary: 'compare with a stored plan', planned: true },
  { flags: '--execute', summary: 'execute the stored plan', planned: true },
  { flags: '--report <format=file>', summary: 'write a report', repeatable: true, planned: true },
  { flags: '--evidence-dir <folder>', summary: 'where reports go', planned: true },
  { flags: '--next', summary: 'run the most valuable untested drill', planned: true },
];

const validate: Omit<CommandSpec, 'summary'> = {
  name: 'validate',
  arguments: [SPEC],
  options: blueprintOptions,
  load: () => import('./commands/validate.js'),
};
const planOptions: readonly OptionSpec[] = [
  ...blueprintOptions,
  { flags: '-o, --output <file>', summary: 'write the plan to this file' },
  { flags: '--evidence-dir <folder>', summary: 'where plans go', planned: true },
];
const plan: Omit<CommandSpec, 'summary'> = {
  name: 'plan',
  arguments: [SPEC],
  options: planOptions,
  load: () => import('./commands/plan.js'),
};

const prepare: CommandSpec = {
  name: 'prepare',
  summary: 'before a run: configuration, validation, plan',
  subcommands: [
    {
      name: 'config',
      summary: 'the configuration in force',
      subcommands: [
        {
          name: 'show',
          summary: 'each value and where it came from',
          load: () => import('./commands/config-show.js'),
        },
        { name: 'validate', summary: 'check the configuration', planned: true },
        { name: 'explain', summary: 'explain a configuration key', planned: true },
      ],
    },
    { ...validate, summary: 'check a drill against its stack; changes nothing' },
    { ...plan, summary: 'compile a drill and print its plan; changes nothing' },
    { name: 'check', summary: 'what each fault needs against live host and targets', planned: true },
    { name: 'dependencies', summary: 'tools and toolkit image', planned: true },
  ],
};

const inspect: CommandSpec = {
  name: 'inspect',
  summary: 'runs, histories and leases, from Postgres',
  subcommands: [
    {
      name: 'runs',
      summary: 'runs, newest first',
      options: [
        { flags: '--run <id>', summary: 'this run only' },
        { flags: '--limit <count>', summary: 'at most so many (default 20)' },
      ],
      load: () => import('./commands/inspect-runs.js'),
    },
    {
      name: 'run',
      summary: 'one run with its result',
      arguments: [RUN],
      options: [
        { flags: '--report <format>', summary: 'as markdown, json or html', planned: true },
        { flags: '--artifact-dir <folder>', summary: 'where reports go', planned: true },
        { flags: '--compare <run>', summary: 'compare with another run', planned: true },
      ],
      load: () => import('./commands/inspect-run.js'),
    },
    {
      name: 'history',
      summary: 'the events of one run',
      arguments: [RUN],
      options: [{ flags: '--evidence-dir <folder>', summary: 'where reports go', planned: true }],
      load: () => import('./commands/inspect-history.js'),
    },
    {
      name: 'leases',
      summary: 'open leases, or all of one run',
      options: [{ flags: '--run <id>', summary: 'all leases of this run, closed ones too' }],
      load: () => import('./commands/inspect-leases.js'),
    },
    { name: 'diagnostics', summary: 'same as doctor', planned: true },
    { name: 'doctor', summary: 'same as doctor', planned: true },
    { name: 'expert', summary: 'everything known about a run', planned: true },
    { name: 'trend', summary: 'a drill over time', planned: true },
    { name: 'coverage', summary: 'cells service × fault', planned: true },
    { name: 'next', summary: 'what to try next and why', planned: true },
  ],
};

const discover: CommandSpec = {
  name: 'discover',
  summary: 'read-only looks',
  subcommands: [
    {
      name: 'faults',
      summary: 'the faults of the catalog',
      options: [
        {
          flags: '-e, --engine <engine>',
          summary: 'only those of this engine',
          choices: ['docker', 'podman', 'kubernetes', 'host'],
        },
        { flags: '--all', summary: 'those that are not built yet too' },
        { flags: '--coverage', summary: 'with what was tested', planned: true },
      ],
      load: () => import('./commands/discover-faults.js'),
    },
    { name: 'topology', summary: 'graph, live state and drift', planned: true },
    { name: 'engines', summary: 'engines of this host', planned: true },
    { name: 'capabilities', summary: 'what this host can do', planned: true },
  ],
};

/** Every command, in the order in which help shows them. */
export const commandTable: readonly CommandSpec[] = [
  {
    name: 'run',
    summary: 'compile, gate, execute, follow and summarise a drill',
    arguments: [SPEC],
    options: runOptions,
    load: () => import('./commands/run.js'),
  },
  { ...validate, summary: 'check a drill against its stack; changes nothing' },
  { ...plan, summary: 'compile a drill and print its plan; changes nothing' },
  {
    name: 'attach',
    summary: 'follow a run to its end',
    arguments: [RUN],
    options: [{ flags: '--require-pass', summary: 'as for run' }],
    load: () => import('./commands/attach.js'),
  },
  {
    name: 'stop',
    summary: 'abort a run, or all, and wait until every fault is proven undone',
    arguments: [{ usage: '[run]', summary: 'run id' }],
    options: [
      { flags: '--all', summary: 'every run, and refuse new ones until --lift' },
      { flags: '--lift', summary: 'allow new runs again' },
      { flags: '--reason <text>', summary: 'why, for the record' },
    ],
    load: () => import('./commands/stop.js'),
  },
  prepare,
  inspect,
  discover,
  {
    name: 'verify',
    summary: "recompute a run's hash chain, completeness and verdict",
    arguments: [RUN],
    options: [{ flags: '--file <bundle>', summary: 'a SQLite bundle', planned: true }],
    load: () => import('./commands/verify.js'),
  },
  {
    name: 'recover',
    summary: 'undo what ended runs left in force, and prove it',
    arguments: [{ usage: '<run...>', summary: 'run ids, as `mayhem inspect runs` lists them' }],
    load: () => import('./commands/recover.js'),
  },
  {
    name: 'rescue',
    summary: 'end every fault of ours from the journal, Postgres, or the marks on the engine alone',
    load: () => import('./commands/rescue.js'),
  },
  {
    name: 'up',
    summary: 'start and supervise what is not configured elsewhere',
    load: () => import('./commands/up.js'),
  },
  {
    name: 'down',
    summary: 'undo what is in force, then stop all that `up` started',
    options: [{ flags: '--force', summary: 'stop even when an undo cannot be proven' }],
    load: () => import('./commands/down.js'),
  },
  {
    name: 'status',
    summary: 'pid, start time, version and address of each process',
    load: () => import('./commands/status.js'),
  },
  {
    name: 'worker',
    summary: 'run the Temporal worker in the foreground',
    load: () => import('./commands/worker.js'),
  },
  {
    name: 'agent',
    summary: 'run the agent, the only hands, in the foreground',
    load: () => import('./commands/agent.js'),
  },
  {
    name: 'db',
    summary: 'the evidence database',
    subcommands: [
      {
        name: 'migrate',
        summary: 'bring the database to the schema of this version',
        load: () => import('./commands/db-migrate.js'),
      },
      { name: 'prune', summary: 'remove old runs', planned: true },
    ],
  },
  {
    name: 'commands',
    summary: 'the command map; --json is the machine-readable option table',
    load: () => import('./commands/commands.js'),
  },
  {
    name: 'supervise',
    summary: 'the supervisor that `up` starts',
    hidden: true,
    load: () => import('./commands/supervise.js'),
  },
  ...plannedCommands,
];
