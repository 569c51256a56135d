// Redis on loopback; what it was told is in its append-only file, so a restart finds it again.
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { nativeServer } from './native-server.ts';
import type { ServerHandle } from './running-stack.ts';
import { redisIsReady } from './server-probes.ts';
import type { StackRun } from './stack-run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One per platform in the archive that Maven fetches. */
const FETCHED_BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
};
const EXECUTABLE_MODE = 0o755;

/** One on PATH, else the fetched one of this platform; null when there is neither. */
export function findRedis(environment: Environment, archives: string): string | null {
  const installed = findProgram(environment, 'redis-server');
  if (installed !== null) return installed;
  const fetched = join(archives, 'redis', FETCHED_BINARIES[`${process.platform}-${process.arch}`] ?? 'none');
  if (!existsSync(fetched)) return null;
  chmodSync(fetched, EXECUTABLE_MODE);
  return fetched;
}

export function nativeRedis(
  deps: { readonly run: StackRun; readonly environment: Environment },
  program: string,
  port: number,
): ServerHandle {
  const folder = join(deps.run.folder, 'redis');
  mkdirSync(folder);
  return nativeServer(deps.run, {
    name: 'redis',
    program,
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'yes',
      '--dir',
      folder,
    ],
    environment: deps.environment,
    asUser: null,
    ending: 'SIGKILL',
    gracefulSignal: 'SIGTERM',
    isReady: () => redisIsReady({ host: '127.0.0.1', port }),
  });
}
