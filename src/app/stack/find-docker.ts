// Whether a Docker daemon answers, asked directly: a client that is installed without a daemon is no way to run servers.
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const PING_LIMIT_MS = 2_000;

/** Its address, or null. */
export async function findDocker(environment: Environment): Promise<string | null> {
  const named = environment['DOCKER_HOST'];
  const candidates = named === undefined || named === '' ? usualSockets(environment) : [named];
  for (const candidate of candidates) {
    if (await answers(candidate)) return candidate;
  }
  return null;
}

function usualSockets(environment: Environment): string[] {
  const homes = [
    '/var/run/docker.sock',
    join(environment['XDG_RUNTIME_DIR'] ?? '/nowhere', 'docker.sock'),
    join(environment['HOME'] ?? '/nowhere', '.docker/run/docker.sock'),
    join(environment['HOME'] ?? '/nowhere', '.colima/default/docker.sock'),
  ];
  return homes.filter((path) => existsSync(path)).map((path) => `unix://${path}`);
}

/** `unix:///path` or `tcp://host:port`; a daemon behind TLS is taken for absent. */
function answers(address: string): Promise<boolean> {
  const url = address.replace(/^tcp:/, 'http:');
  if (!URL.canParse(url)) return Promise.resolve(false);
  const { protocol, pathname, hostname, port } = new URL(url);
  const target = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: PING_LIMIT_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.on('close', () => resolve(false));
    ping.end();
  });
}
