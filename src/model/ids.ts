import { digestOf } from './digest.js';

/** Lower-case letters, digits and single dashes made from any text, at most 40 characters; `drill` when nothing is left. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return slug === '' ? 'drill' : slug;
}

/** `r-<slug of the drill's name>-<8 hex>`; `randomHex` gives the eight. */
export function runIdOf(options: { readonly name: string; readonly randomHex: string }): string {
  return `r-${slugOf(options.name)}-${options.randomHex}`;
}

/** The lease of one step on one target in one run: the same on every attempt and every worker. */
export function leaseIdOf(options: {
  readonly runId: string;
  readonly stepId: string;
  readonly targetId: string;
}): string {
  return `l-${digestOf([options.runId, options.stepId, options.targetId]).slice(0, 16)}`;
}
