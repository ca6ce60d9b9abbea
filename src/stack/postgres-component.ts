import { join } from 'node:path';
import { postgresAnswers } from './answers.js';
import type { Component } from './component.js';
import { clusterMajor, findPostgres, type PostgresPrograms } from './find-postgres.js';
import type { Home } from './home.js';
import { dataFolder, makeCluster } from './postgres-cluster.js';
import { serverUser } from './server-user.js';

/** The longest path of a unix socket that Linux takes, with its closing zero byte (unix(7)). */
const SOCKET_PATH_MAX = 107;

/** The private database server: loopback and a unix socket, passwords by SCRAM, under another user when we are root. */
export function postgresComponent(options: {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly port: number;
  readonly password: string;
  readonly migrate: () => Promise<void>;
}): Component {
  const { home, port } = options;
  const data = dataFolder(home.postgres);
  const user = serverUser({ uid: options.uid });
  let programs: PostgresPrograms | undefined;
  const find = async () => (programs ??= await findPostgres({ env: options.env, major: clusterMajor(data) }));
  const socketFits = join(home.postgres, `.s.PGSQL.${port}`).length <= SOCKET_PATH_MAX;
  return {
    name: 'postgres',
    address: `127.0.0.1:${port}`,
    needs: [],
    beatFile: null,
    prepare: async () => {
      const { folder } = await find();
      await makeCluster({ folder: home.postgres, programs: folder, password: options.password, user });
    },
    launch: async () => ({
      program: join((await find()).folder, 'postgres'),
      args: [
        ...['-D', data, '-p', String(port)],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
        ...['-c', `unix_socket_directories=${socketFits ? home.postgres : ''}`],
      ],
      env: { PATH: options.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      cwd: home.postgres,
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
    }),
    version: async () => (await find()).version,
    answers: () => postgresAnswers({ host: '127.0.0.1', port, withinMs: 500 }),
    afterReady: options.migrate,
    obstacle: async () => null,
  };
}
