import type { OptionSpec } from './command-spec.js';

/** Accepted before and after every command. */
export const rootOptions: readonly OptionSpec[] = [
  { flags: '--config <file>', summary: 'configuration file (default: mayhem.yaml in the working folder)' },
  { flags: '--profile <name>', summary: 'overlay mayhem.<name>.yaml beside the configuration file' },
  { flags: '--policy <name>', summary: 'named policy: default, strict, permissive, staging, production' },
  { flags: '--set <key=value>', summary: 'override one configuration key', repeatable: true },
  { flags: '--format <format>', summary: 'output format', choices: ['text', 'json', 'yaml'] },
  { flags: '--json', summary: 'same as --format json' },
  { flags: '--no-color', summary: 'no colours' },
  { flags: '--debug', summary: 'every event, and stack traces of errors' },
  { flags: '--allow-critical', summary: 'third yes for faults of critical risk' },
  { flags: '--dry-run', summary: 'everything but injection', planned: true },
  { flags: '--skip-gate', summary: 'break glass: skip the impact gate', planned: true },
  { flags: '--allow-bypass', summary: 'go on without faults that are impossible here', planned: true },
  { flags: '-p, --podman', summary: 'use Podman', planned: true },
  { flags: '-k, --kubernetes', summary: 'use Kubernetes', planned: true },
  { flags: '--target <name>', summary: 'environment of the configuration', planned: true },
  { flags: '--db <file>', summary: 'accepted from the old command; evidence is in Postgres' },
];

/** Wherever a blueprint is read. */
export const blueprintOptions: readonly OptionSpec[] = [
  { flags: '-c, --compose <file>', summary: 'compose file (default: the one in the working folder)', repeatable: true },
  { flags: '--manifest <path>', summary: 'Kubernetes manifests', repeatable: true, planned: true },
  { flags: '--compose-profile <name>', summary: 'compose profile', repeatable: true, planned: true },
  { flags: '--ctr <name>', summary: "only this container's faults", repeatable: true, planned: true },
  { flags: '--lenient', summary: 'unknown keys are warnings' },
];
