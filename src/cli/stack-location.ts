import type { Config } from '../model/config.js';
import { MayhemError } from '../model/error.js';
import { locateStack } from '../stack/ensure-stack.js';
import type { Home } from '../stack/home.js';
import type { StackLocation } from '../stack/stack-file.js';

/** Where the stack is reached. Throws stack.failed when there is none: nothing configured, nothing ever brought up. */
export function requireLocation(options: { readonly home: Home; readonly config: Config }): StackLocation {
  const location = locateStack(options);
  if (location !== null) return location;
  throw new MayhemError(
    'stack.failed',
    `no stack was ever brought up in ${options.home.path}, and none is configured`,
    {
      hint: 'Run `mayhem up`, or set MAYHEM_DATABASE_URL and TEMPORAL_ADDRESS.',
    },
  );
}
