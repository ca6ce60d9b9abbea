import type { RunEvidence } from './run-evidence.js';
import { GENESIS_HASH, hashOfEvent } from './hash-chain.js';
import type { VerifyProblem } from './verify-problem.js';

/** Checks that a run's events are those that were appended: none edited, removed, added, or cut off at the end. */
export function verifyChain(evidence: Pick<RunEvidence, 'run' | 'events'>): readonly VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  let prevHash = GENESIS_HASH;
  let due = 1;
  for (const event of evidence.events) {
    const where = `events ${event.seq}`;
    for (; due < event.seq; due += 1) problems.push({ what: 'this event was removed', where: `events ${due}` });
    const intact = hashOfEvent(event) === event.hash;
    if (!intact)
      problems.push({ what: `this event (${event.kind}) was edited: its hash does not fit what it says`, where });
    else if (event.prev_hash !== prevHash && due === event.seq) {
      problems.push({
        what: `this event (${event.kind}) does not follow the one before it: it was added or replaced`,
        where,
      });
    }
    prevHash = event.hash;
    due = event.seq + 1;
  }
  const { last_seq: lastSeq, last_hash: lastHash } = evidence.run;
  for (; due <= lastSeq; due += 1) problems.push({ what: 'this event was removed', where: `events ${due}` });
  for (const event of evidence.events.filter((candidate) => candidate.seq > lastSeq)) {
    problems.push({ what: 'this event was added past the end of the history', where: `events ${event.seq}` });
  }
  const last = evidence.events.find((event) => event.seq === lastSeq);
  if (last !== undefined && last.hash !== lastHash) {
    problems.push({ what: 'the newest event is not the one the run ends with', where: `events ${lastSeq}` });
  }
  return problems;
}
