/** Text as Postgres can hold it and UTF-8 can say it: NUL and lone surrogates become the replacement character. */
export function storableText(text: string): string {
  return text
    .replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, (match) => (match.length === 2 ? match : '\uFFFD'))
    .replaceAll('\0', '\uFFFD');
}

/** A JSON value with every text in it, keys included, made storable; members that are undefined are left out. */
export function storable<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : clean(item)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([key, member]) => [storableText(key), clean(member)]));
}

/** A time as it is stored: RFC 3339 UTC with milliseconds. Throws RangeError when the text is no time. */
export function storableTime(at: string): string {
  return new Date(at).toISOString();
}
