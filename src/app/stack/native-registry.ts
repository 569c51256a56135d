// A Confluent-compatible schema registry as a process of its own. Its schemas are in a file: in memory a restart would
// forget ids, or give an id to another schema.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { classArchive } from './class-archive.ts';
import type { NativeJvm, NativeJvmDeps } from './native-kafka.ts';
import { nativeServer } from './native-server.ts';
import { REGISTRY_JAR } from './server-archives.ts';
import { registryIsReady } from './server-probes.ts';

/** Where the Confluent API is. */
export const REGISTRY_PATH = '/apis/ccompat/v7';

/** H2 in a file, each commit on disk at once: survives kill −9. */
export function registryDatabase(folder: string): string {
  return `jdbc:h2:file:${folder}/schemas;WRITE_DELAY=0`;
}

export function nativeRegistry(deps: NativeJvmDeps, port: number): NativeJvm {
  const folder = join(deps.run.folder, 'registry');
  mkdirSync(folder);
  const classes = classArchive('registry', deps.java, deps.archives, deps.run.folder);
  const server = nativeServer(deps.run, {
    name: 'registry',
    program: deps.java.program,
    args: [
      ...['-Xmx320m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...classes.flags],
      ...['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`, '-Dquarkus.log.level=WARN'],
      ...['-jar', join(deps.archives, REGISTRY_JAR)],
    ],
    environment: { ...deps.environment, REGISTRY_DATASOURCE_URL: registryDatabase(folder) },
    asUser: null,
    ending: 'SIGKILL',
    gracefulSignal: 'SIGTERM',
    isReady: () => registryIsReady(`http://127.0.0.1:${port}${REGISTRY_PATH}`),
    afterGracefulStop: classes.keep,
  });
  return { server, classes };
}
