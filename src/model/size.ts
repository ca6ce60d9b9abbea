const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  K: 1024,
  Ki: 1024,
  KiB: 1024,
  KB: 1000,
  M: 1024 ** 2,
  Mi: 1024 ** 2,
  MiB: 1024 ** 2,
  MB: 1000 ** 2,
  G: 1024 ** 3,
  Gi: 1024 ** 3,
  GiB: 1024 ** 3,
  GB: 1000 ** 3,
};

/**
 * Reads a byte size as users write it: `64M`, `64Mi` and `64MiB` count in powers of 1024, `64MB` in powers of 1000, a bare
 * number is bytes. Units are case-sensitive. Returns whole bytes, or null when the text is no size.
 */
export function parseSizeBytes(value: string | number): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(value.trim());
  const factor = match === null ? undefined : Object.hasOwn(FACTORS, match[2] as string) && FACTORS[match[2] as string];
  if (match === null || typeof factor !== 'number') return null;
  const bytes = Math.round(Number(match[1]) * factor);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
