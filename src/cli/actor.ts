import { hostname, userInfo } from 'node:os';

/** user@host, for the record. In a container the user may have no name: then it is the number. */
export function currentActor(options: { readonly uid: number }): string {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = String(options.uid);
  }
  return `${name}@${hostname()}`;
}
