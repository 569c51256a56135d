// Postgres on loopback with a fresh data folder and a password of its own. Durable as in production (fsync stays on):
// a test that kills it may rely on what was committed.
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { nativeServer } from './native-server.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { postgresUser, reachableBinaries, type ServerUser } from './postgres-user.ts';
import { runCommand } from './run-command.ts';
import type { ServerHandle } from './running-stack.ts';
import { postgresIsReady } from './server-probes.ts';
import type { StackRun } from './stack-run.ts';

interface Deps {
  readonly run: StackRun;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const INITDB_LIMIT_MS = 60_000;
const PASSWORD_BYTES = 18;
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  max_connections: '200',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
};

/** Running and answering. */
export async function startNativePostgres(
  deps: Deps,
  binaries: PostgresBinaries,
): Promise<{ readonly server: ServerHandle; readonly databaseUrl: string }> {
  const user = postgresUser();
  const binFolder = reachableBinaries(binaries, user, deps.run.folder);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const dataFolder = await makeCluster(deps, { binFolder, user, password });
  const [port = 0] = await freePorts(1);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = nativeServer(deps.run, {
    name: 'postgres',
    program: join(binFolder, 'postgres'),
    args: ['-D', dataFolder, '-p', String(port), ...settings],
    environment: deps.environment,
    asUser: user,
    ending: 'SIGQUIT',
    gracefulSignal: 'SIGINT',
    isReady: () => postgresIsReady({ host: '127.0.0.1', port }),
  });
  await server.start();
  return { server, databaseUrl: `postgres://pin:${password}@127.0.0.1:${port}/postgres` };
}

async function makeCluster(
  deps: Deps,
  owner: { binFolder: string; user: ServerUser | null; password: string },
): Promise<string> {
  const home = join(deps.run.folder, 'postgres');
  const passwordFile = join(home, 'password');
  mkdirSync(home);
  writeFileSync(passwordFile, owner.password, { mode: 0o600 });
  if (owner.user !== null) {
    for (const path of [home, passwordFile]) chownSync(path, owner.user.uid, owner.user.gid);
  }
  const dataFolder = join(home, 'data');
  await runCommand(deps.run, {
    name: 'initdb',
    program: join(owner.binFolder, 'initdb'),
    args: [
      ...['-D', dataFolder, '-U', 'pin', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...['--encoding=UTF8', '--no-locale', '--no-sync'],
    ],
    limitMs: INITDB_LIMIT_MS,
    environment: deps.environment,
    folder: home,
    asUser: owner.user,
  });
  return dataFolder;
}
