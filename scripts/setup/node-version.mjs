import { SetupError } from './setup-error.mjs';

const WANTED = 20;

/** @type {import('./step.mjs').Step} */
export const nodeVersion = {
  name: 'node',
  async check() {
    const major = Number.parseInt(process.versions.node, 10);
    return major >= WANTED ? { detail: process.versions.node } : undefined;
  },
  async install() {
    throw new SetupError(`node ${process.versions.node} is too old: Mayhem needs ${WANTED} or newer.`, {
      command: `nvm install ${WANTED}   (or see nodejs.org/download)`,
    });
  },
};
