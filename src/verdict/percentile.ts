/**
 * The value below or at which `percent` of the values lie, by nearest rank: the smallest value with at least that share of all
 * values not above it. null when there are none.
 */
export function percentile(options: { readonly values: readonly number[]; readonly percent: number }): number | null {
  const sorted = [...options.values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((options.percent / 100) * sorted.length));
  return sorted[rank - 1] ?? null;
}
