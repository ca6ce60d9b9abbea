import { expect, it } from 'vitest';
import { asDatabaseError } from './database-error.js';

const failure = (code: string) => Object.assign(new Error('could not extend file: No space left on device'), { code });

it('tells a full disk from a server that is away', () => {
  expect(asDatabaseError(failure('53100'))).toMatchObject({ code: 'database.full', exitCode: 8 });
  expect(asDatabaseError(failure('53300'))).toMatchObject({ code: 'database.unreachable' });
  expect(asDatabaseError(failure('23505'))).not.toHaveProperty('hint');
});
