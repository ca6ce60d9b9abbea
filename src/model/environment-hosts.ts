const NAMES = /_(URL|ENDPOINT|HOST)$/i;
/** Letters, digits, `.`, `_` and `-`: what compose and DNS (RFC 1123) take as a name of a host. */
const HOST = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
const LONGEST_HOST = 253;
/** What an application may be told that is no host. */
const WORDS = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'none', 'null', 'auto']);

/**
 * Hosts that an environment variable points at, in lower case, each once: of `*_URL`, `*_ENDPOINT` and `*_HOST`, several where commas
 * or blanks part them. Nothing but the host is read of a URL, so that no password goes further. What means the
 * container itself (localhost, 127.0.0.0/8, ::1, 0.0.0.0, ::) is left out.
 */
export function hostsOf(options: { readonly name: string; readonly value: string }): readonly string[] {
  if (!NAMES.test(options.name)) return [];
  const pieces = options.value.split(/[,\s]+/).filter((piece) => piece !== '');
  // Without a scheme anywhere, only a host variable's value is a host; `/api/v1` or `v2` in a URL's is not.
  const bare = /_HOST$/i.test(options.name) || (pieces[0] ?? '').includes('://');
  const hosts = pieces.flatMap((piece) => hostOf(piece, bare) ?? []);
  return [...new Set(hosts)].filter((host) => !isSelf(host));
}

function hostOf(piece: string, bare: boolean): string | null {
  const scheme = piece.indexOf('://');
  if (scheme === -1 && !bare && !/^[^/:@]+:\d+(\/|$)/.test(piece)) return null;
  const authority = (scheme === -1 ? piece : piece.slice(scheme + 3)).split(/[/?#]/, 1)[0] as string;
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const bracketed = /^\[([0-9a-f:.]+)\](:\d+)?$/i.exec(place)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const host = place.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  if (host.length > LONGEST_HOST || !HOST.test(host) || /^\d+$/.test(host) || WORDS.has(host)) return null;
  return host;
}

function isSelf(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|::1?)$/.test(host);
}
