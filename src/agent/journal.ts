import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256Hex } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import { applyEntry, type JournalEntry, type JournaledLease } from './journal-entry.js';

/** A line of the file: eight characters of the entry's SHA-256, a blank, the entry. */
const LINE = /^([0-9a-f]{8}) (\{.*\})$/;
/** Closed leases stay this long, so that a late request for one is still refused. */
const KEEP_CLOSED_MS = 24 * 3_600_000;

/**
 * The agent's memory on disk: append only, every entry on stable storage before anything is done that it announces.
 * A torn last line (a crash in mid-write) is dropped: what it announced was not begun. A damaged line elsewhere is kept
 * aside and reported by `damage`, never silently lost. A file that is deleted under a living agent
 * is written anew.
 */
export class Journal {
  readonly #file: string;
  #handle: FileHandle;
  /** What the file holds, so that it can be written anew when somebody deletes it under a living agent. */
  readonly #entries: JournalEntry[];
  readonly #leases: Map<string, JournaledLease>;
  #tail: Promise<unknown> = Promise.resolve();
  /** A write failed half-way: the next line must not be joined to what it left. */
  #torn = false;
  readonly damage: readonly string[];

  private constructor(options: {
    readonly file: string;
    readonly handle: FileHandle;
    readonly entries: JournalEntry[];
    readonly leases: Map<string, JournaledLease>;
    readonly damage: readonly string[];
  }) {
    this.#file = options.file;
    this.#handle = options.handle;
    this.#entries = options.entries;
    this.#leases = options.leases;
    this.damage = options.damage;
  }

  /** Opens the journal, making it (0600) where there is none, and compacts it: what is closed, recorded and old is left out. */
  static async open(options: { readonly file: string; readonly nowMs: number }): Promise<Journal> {
    await mkdir(dirname(options.file), { recursive: true, mode: 0o700 });
    const { entries, damage } = parse(await readIfThere(options.file));
    if (damage.length > 0) {
      await writeDurably(`${options.file}.damaged-${options.nowMs}`, await readIfThere(options.file));
    }
    const leases = fold(entries);
    for (const lease of leases.values()) {
      const old = options.nowMs - Date.parse(lease.at) > KEEP_CLOSED_MS;
      const recorded = lease.acknowledged || lease.record === null;
      if (lease.state === 'closed' && recorded && old) leases.delete(lease.lease_id);
    }
    const kept = entries.filter((entry) => leases.has(entry.lease_id));
    await writeDurably(options.file, kept.map(lineOf).join(''));
    const handle = await open(options.file, 'a', 0o600);
    return new Journal({ file: options.file, handle, entries: kept, leases, damage });
  }

  /** What a journal says without opening it for writing: its leases, as far as its lines are whole. Empty when there is none. */
  static async peek(file: string): Promise<readonly JournaledLease[]> {
    return [...fold(parse(await readIfThere(file)).entries).values()];
  }

  lease(leaseId: string): JournaledLease | undefined {
    return this.#leases.get(leaseId);
  }

  get leases(): readonly JournaledLease[] {
    return [...this.#leases.values()];
  }

  /** Appends one entry; resolves when it is on stable storage and counted in. Appends never interleave. */
  append(entry: JournalEntry): Promise<void> {
    const written = this.#tail.then(async () => {
      if (!(await this.#isInPlace())) await this.#restore();
      const line = this.#torn ? `\n${lineOf(entry)}` : lineOf(entry);
      this.#torn = true;
      await this.#handle.appendFile(line);
      await this.#handle.datasync();
      this.#torn = false;
      this.#entries.push(entry);
      this.#leases.set(entry.lease_id, applyEntry(this.#leases.get(entry.lease_id), entry));
    });
    this.#tail = written.catch(() => undefined);
    return written.catch((error: unknown) => {
      throw new MayhemError('journal.damaged', `cannot write ${this.#file}: ${(error as Error).message}`, {
        hint: 'free space on that file system, or set MAYHEM_HOME to one that can be written',
        cause: error,
      });
    });
  }

  /** Whether the open file is still the one that its name leads to. */
  async #isInPlace(): Promise<boolean> {
    const [open, named] = await Promise.all([this.#handle.stat(), stat(this.#file).catch(() => null)]);
    return named !== null && named.ino === open.ino && named.dev === open.dev;
  }

  async #restore(): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await writeDurably(this.#file, this.#entries.map(lineOf).join(''));
    await this.#handle.close();
    this.#handle = await open(this.#file, 'a', 0o600);
    this.#torn = false;
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#handle.close();
  }
}

function fold(entries: readonly JournalEntry[]): Map<string, JournaledLease> {
  const leases = new Map<string, JournaledLease>();
  for (const entry of entries) leases.set(entry.lease_id, applyEntry(leases.get(entry.lease_id), entry));
  return leases;
}

function lineOf(entry: JournalEntry): string {
  const text = JSON.stringify(entry);
  return `${sha256Hex(text).slice(0, 8)} ${text}\n`;
}

function parse(text: string): { entries: JournalEntry[]; damage: string[] } {
  const entries: JournalEntry[] = [];
  const damage: string[] = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (line === '') return;
    const [, sum, json] = LINE.exec(line) ?? [];
    if (json !== undefined && sum === sha256Hex(json).slice(0, 8)) entries.push(JSON.parse(json) as JournalEntry);
    // Only a line without its newline can be torn; one that has it was written whole and was changed since.
    else if (index < lines.length - 1) damage.push(`line ${index + 1}`);
  });
  return { entries, damage };
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Writes a whole file so that after a crash either the old or the new one is there: fsync of file and folder around a rename. */
async function writeDurably(file: string, text: string): Promise<void> {
  const scratch = `${file}.new`;
  await rm(scratch, { force: true });
  const handle = await open(scratch, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(scratch, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
