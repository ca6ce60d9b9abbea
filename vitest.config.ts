import { defineConfig } from 'vitest/config';

const shared = { pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 } as const;

/** What measures real time on a real engine runs alone, after the rest: a busy machine would be measured too. */
const alone = ['test/drills/**/*.test.ts', 'test/agent/**/*.test.ts', 'src/stack/stack.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/postgres-global.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'side-by-side',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.mjs'],
          exclude: ['**/node_modules/**', ...alone],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { ...shared, name: 'alone', include: alone, fileParallelism: false, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
