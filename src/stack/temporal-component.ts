import { join } from 'node:path';
import { temporalAnswers } from './answers.js';
import type { Component } from './component.js';
import { findTemporal } from './find-temporal.js';
import type { Home } from './home.js';
import { runProgram } from './run-program.js';

/**
 * Temporal's development server on a database file, on loopback, without its pages. Its queues may otherwise look up to a
 * second ahead of a timer and so fire it that much late: the shift is set to 5 ms.
 */
export function temporalComponent(options: {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  readonly namespace: string;
}): Component {
  const { home, port } = options;
  let program: string | undefined;
  const find = async () => (program ??= await findTemporal({ env: options.env }));
  return {
    name: 'temporal',
    address: `127.0.0.1:${port}`,
    needs: [],
    beatFile: null,
    prepare: async () => {},
    launch: async () => ({
      program: await find(),
      args: [
        ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
        ['--db-filename', join(home.temporal, 'temporal.db'), '--log-level', 'warn'],
        options.namespace === 'default' ? [] : ['--namespace', options.namespace],
        ['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="5ms"'],
      ].flat(),
      env: { PATH: options.env.PATH, HOME: home.temporal, TMPDIR: options.env.TMPDIR },
      cwd: home.temporal,
    }),
    version: async () => {
      const { stdout } = await runProgram({ program: await find(), args: ['--version'], withinMs: 5000 });
      return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
    },
    answers: () => temporalAnswers({ host: '127.0.0.1', port, withinMs: 500 }),
    afterReady: async () => {},
    obstacle: async () => null,
  };
}
