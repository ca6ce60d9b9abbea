import { join } from 'node:path';
import { postgresAnswers } from './answers.js';
import type { Component } from './component.js';
import { clusterMajor, findPostgres, type PostgresPrograms } from './find-postgres.js';
import { untilServerIsGone } from './former-server.js';
import { fitsSocket, type Home } from './home.js';
import { dataFolder, makeCluster, syncCluster } from './postgres-cluster.js';
import { serverUser } from './server-user.js';

/** So long what is left of a killed server may take to go; then the next one's own message says what is in its way. */
const FORMER_SERVER_MS = 20_000;

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
  const as = user === null ? {} : { uid: user.uid, gid: user.gid };
  let isNew = false;
  let programs: PostgresPrograms | undefined;
  const find = async () => (programs ??= await findPostgres({ env: options.env, major: clusterMajor(data) }));
  // A comma or a quote would be read as part of the setting's own grammar.
  const socketFolder =
    fitsSocket(join(home.postgres, `.s.PGSQL.${port}`)) && !/[,"]/.test(home.postgres) ? home.postgres : '';
  return {
    name: 'postgres',
    address: `127.0.0.1:${port}`,
    needs: [],
    beatFile: null,
    prepare: async () => {
      const { folder } = await find();
      await untilServerIsGone({ data, withinMs: FORMER_SERVER_MS });
      isNew = await makeCluster({ folder: home.postgres, programs: folder, password: options.password, user });
    },
    launch: async () => ({
      program: join((await find()).folder, 'postgres'),
      args: [
        ['-D', data, '-p', String(port)],
        ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
        ['-c', `unix_socket_directories=${socketFolder}`],
      ].flat(),
      env: { PATH: options.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      cwd: home.postgres,
      ...as,
    }),
    version: async () => (await find()).version,
    answers: () => postgresAnswers({ host: '127.0.0.1', port, withinMs: 500 }),
    afterReady: async () => {
      await options.migrate();
      if (isNew) void syncCluster({ folder: home.postgres, programs: (await find()).folder, as });
    },
    obstacle: async () => null,
  };
}
