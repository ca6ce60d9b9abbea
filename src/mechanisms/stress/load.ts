/** How a stressor is run: so many workers, each of which keeps one CPU busy for this share of the time. */
export interface Load {
  readonly workers: number;
  /** Whole percent of one CPU, 1 to 100. */
  readonly percent_each: number;
}

/**
 * Spreads `percent` of an allowance over workers. At 100 they run flat out: the quota, where there is one, holds them. Below, the load of a
 * worker is whole percents of a CPU, so that the result is off by half a point of a CPU for each worker at most.
 */
export function spreadLoad(options: { readonly percent: number; readonly cpus: number }): Load {
  const workers = Math.max(1, Math.ceil(options.cpus - 1e-6));
  if (options.percent >= 100) return { workers, percent_each: 100 };
  const each = Math.round((options.percent * options.cpus) / workers);
  return { workers, percent_each: Math.min(99, Math.max(1, each)) };
}
