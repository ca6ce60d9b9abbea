// npm run bench [-- cli faults many] [--drills N]: measures on this machine and prints one JSON object.
import { measureCli } from './cli.mjs';
import { measureFaults } from './faults.mjs';
import { measureMany } from './many.mjs';

const args = process.argv.slice(2);
const drillsAt = args.indexOf('--drills');
const drills = drillsAt === -1 ? 20 : Number(args[drillsAt + 1]);
const parts = args.filter((arg, i) => !arg.startsWith('--') && (drillsAt === -1 || i !== drillsAt + 1));
const wanted = (name) => parts.length === 0 || parts.includes(name);

/** @type {Record<string, unknown>} */
const result = { node: process.version };
if (wanted('cli')) result.cli = measureCli();
if (wanted('faults')) result.faults = await measureFaults();
if (wanted('many'))
  result.many = [await measureMany({ drills, kill: false }), await measureMany({ drills, kill: true })];
console.log(JSON.stringify(result, null, 2));
