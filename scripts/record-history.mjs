// Stores the history of a run as a file that the replay test runs today's workflow code against:
//   node scripts/record-history.mjs ADDRESS RUN FILE
import { writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const [address, runId, file] = process.argv.slice(2);
const connection = await Connection.connect({ address });
const client = new Client({ connection });
const history = await client.workflow.getHandle(runId).fetchHistory();
writeFileSync(file, `${historyToJSON(history).replace(/"identity": "[^"]*"/g, '"identity": "worker"')}\n`);
console.log(`${history.events.length} events`);
await connection.close();
