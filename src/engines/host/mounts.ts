import { readFile } from 'node:fs/promises';

/** One line of /proc/self/mountinfo (proc_pid_mountinfo(5)), as far as we read it. */
export interface Mount {
  /** The file or folder of its file system that it shows; `net:[<inode>]` for a network namespace. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  /** True when mounts below it appear in other mount namespaces too (mount_namespaces(7)). */
  readonly shared: boolean;
}

/** The mounts that this process sees. */
export async function readMounts(): Promise<readonly Mount[]> {
  return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** Reads the text of a mountinfo file. Pure. */
export function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const [root, point] = [fields[3], fields[4]];
    const separator = fields.indexOf('-', 6);
    if (root === undefined || point === undefined || separator === -1) return [];
    return [
      {
        root: unescape(root),
        point: unescape(point),
        type: fields[separator + 1] ?? '',
        shared: fields.slice(6, separator).some((field) => field.startsWith('shared:')),
      },
    ];
  });
}

/** Spaces, tabs, newlines and backslashes are written in octal. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
