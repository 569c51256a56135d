// A Kafka broker and controller in one process, on loopback, with internals small enough to start in seconds.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerSettings } from './broker-settings.ts';
import { type JvmDeps, jvmServer } from './jvm-server.ts';
import { kafkaIsReady } from './kafka-probe.ts';
import type { ServerHandle } from './running-stack.ts';
import { FORMATTED_FOLDER } from './server-archives.ts';

/** Not started yet: call `start`. */
export function nativeKafka(deps: JvmDeps, ports: { broker: number; controller: number }): ServerHandle {
  const folder = join(deps.folder, 'kafka');
  const settings = join(folder, 'server.properties');
  mkdirSync(folder);
  cpSync(join(deps.archives, FORMATTED_FOLDER), join(folder, 'data'), { recursive: true });
  writeFileSync(settings, brokerSettings({ ...ports, dataFolder: join(folder, 'data') }));
  return jvmServer(deps, {
    name: 'kafka',
    maxHeapMb: 400,
    args: [
      ...['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', join(deps.archives, 'kafka', '*')],
      ...['kafka.Kafka', settings],
    ],
    isReady: () => kafkaIsReady({ host: '127.0.0.1', port: ports.broker }),
  });
}
