import { readFile, stat } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { type ErrorCode, MayhemError } from '../model/error.js';

/** Larger files are refused: what people write by hand is far smaller, and the parser's time and memory stay bounded. */
export const MAX_SOURCE_BYTES = 1024 * 1024;
/** The same for documents of our own, which have no thousand services. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;
const READ_DEADLINE_MS = 5000;

/** A text a user wrote, with the name it has in messages. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/**
 * Reads a file a user wrote as UTF-8, a byte-order mark left out. `codes` says which errors to throw when it is missing
 * and when it cannot be used: not a plain file, too large, not UTF-8, unreadable, or not read within five seconds.
 */
export async function readSource(options: {
  readonly file: string;
  readonly codes: { readonly missing: ErrorCode; readonly invalid: ErrorCode };
  /** Default MAX_SOURCE_BYTES. */
  readonly maxBytes?: number;
}): Promise<Source> {
  const { file, codes, maxBytes = MAX_SOURCE_BYTES } = options;
  try {
    const info = await stat(file);
    if (info.isDirectory()) throw new MayhemError(codes.invalid, `${file} is a folder, not a file`);
    // A pipe or a device may never end; reading one would hang or eat input meant for someone else.
    if (!info.isFile()) throw new MayhemError(codes.invalid, `${file} is not a plain file`);
    if (info.size > maxBytes) throw tooLarge({ file, bytes: info.size, maxBytes, code: codes.invalid });
    const bytes = await readFile(file, { signal: AbortSignal.timeout(READ_DEADLINE_MS) });
    return sourceOf({ file, bytes, code: codes.invalid, maxBytes });
  } catch (error) {
    if (error instanceof MayhemError) throw error;
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === 'ENOENT' || reason === 'ENOTDIR') {
      throw new MayhemError(codes.missing, `${file} does not exist`, { hint: 'check the path', cause: error });
    }
    throw new MayhemError(codes.invalid, `${file} cannot be read (${reason ?? String(error)})`, { cause: error });
  }
}

/** A source from bytes at hand: the same checks as for a file. Throws `code` when too large or not UTF-8. */
export function sourceOf(options: {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly code: ErrorCode;
  readonly maxBytes?: number;
}): Source {
  const { file, bytes, code, maxBytes = MAX_SOURCE_BYTES } = options;
  if (bytes.length > maxBytes) throw tooLarge({ file, bytes: bytes.length, maxBytes, code });
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw new MayhemError(code, `${file} is not UTF-8 text`, { hint: 'save it as UTF-8', cause: error });
  }
}

function tooLarge(options: {
  readonly file: string;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly code: ErrorCode;
}): MayhemError {
  const { file, bytes, maxBytes, code } = options;
  const size = bytes > 10 * 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;
  const message = `${file} is too large: ${size}, at most ${maxBytes / 1024} KiB are read`;
  return new MayhemError(code, message, { hint: 'split it' });
}
