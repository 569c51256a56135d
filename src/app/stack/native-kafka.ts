// A Kafka broker and controller in one process, on loopback, with internals small enough to start in seconds.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerSettings } from './broker-settings.ts';
import { type ClassArchive, classArchive } from './class-archive.ts';
import type { Java } from './find-program.ts';
import { kafkaIsReady } from './kafka-probe.ts';
import { nativeServer } from './native-server.ts';
import type { ServerHandle } from './running-stack.ts';
import { FORMATTED_FOLDER } from './server-archives.ts';
import type { StackRun } from './stack-run.ts';

export interface NativeJvmDeps {
  readonly run: StackRun;
  readonly java: Java;
  readonly archives: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface NativeJvm {
  readonly server: ServerHandle;
  readonly classes: ClassArchive;
}

export function nativeKafka(deps: NativeJvmDeps, ports: { broker: number; controller: number }): NativeJvm {
  const folder = join(deps.run.folder, 'kafka');
  const settings = join(folder, 'server.properties');
  mkdirSync(folder);
  cpSync(join(deps.archives, FORMATTED_FOLDER), join(folder, 'data'), { recursive: true });
  writeFileSync(settings, brokerSettings({ ...ports, dataFolder: join(folder, 'data') }));
  const classes = classArchive('kafka', deps.java, deps.archives, deps.run.folder);
  const server = nativeServer(deps.run, {
    name: 'kafka',
    program: deps.java.program,
    args: [
      ...['-Xmx400m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...classes.flags],
      ...['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', join(deps.archives, 'kafka', '*')],
      ...['kafka.Kafka', settings],
    ],
    environment: deps.environment,
    asUser: null,
    ending: 'SIGKILL',
    gracefulSignal: 'SIGTERM',
    isReady: () => kafkaIsReady({ host: '127.0.0.1', port: ports.broker }),
    afterGracefulStop: classes.keep,
  });
  return { server, classes };
}
