// A Confluent-compatible schema registry as a process of its own. Its schemas are in a file: in memory a restart would
// forget ids, or give an id to another schema.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type JvmDeps, jvmServer } from './jvm-server.ts';
import type { ServerHandle } from './running-stack.ts';
import { REGISTRY_JAR } from './server-archives.ts';
import { registryIsReady } from './server-probes.ts';

/** Where the Confluent API is. */
export const REGISTRY_PATH = '/apis/ccompat/v7';

/** H2 in a file, each commit on disk at once: survives kill −9. */
export function registryDatabase(folder: string): string {
  return `jdbc:h2:file:${folder}/schemas;WRITE_DELAY=0`;
}

/** Not started yet: call `start`. */
export function nativeRegistry(deps: JvmDeps, port: number): ServerHandle {
  const folder = join(deps.folder, 'registry');
  mkdirSync(folder);
  return jvmServer(deps, {
    name: 'registry',
    maxHeapMb: 320,
    args: [
      ...['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`, '-Dquarkus.log.level=WARN'],
      ...['-jar', join(deps.archives, REGISTRY_JAR)],
    ],
    environment: { REGISTRY_DATASOURCE_URL: registryDatabase(folder) },
    isReady: () => registryIsReady(`http://127.0.0.1:${port}${REGISTRY_PATH}`),
  });
}
