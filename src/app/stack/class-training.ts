// Runs Kafka and the registry once up to their first answer, and keeps the classes they had loaded by then
// (class-archive.ts). Only a speed-up: when it fails, servers start slower and nothing else changes.
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../runtime/fault.ts';
import { classArchivePath, type JvmName } from './class-archive.ts';
import { freePorts } from './free-ports.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { JvmDeps } from './jvm-server.ts';
import { nativeKafka } from './native-kafka.ts';
import { nativeRegistry } from './native-registry.ts';

type TrainingDeps = Omit<JvmDeps, 'flags' | 'folder'> & { readonly say: (line: string) => void };

const NAMES: readonly JvmName[] = ['kafka', 'registry'];

export function classesAreKnown(deps: Pick<TrainingDeps, 'java' | 'archives'>): boolean {
  return NAMES.every((name) => existsSync(classArchivePath(name, deps.java, deps.archives)));
}

/** Takes some ten seconds, once for each version of Java and of the servers. */
export async function learnClasses(deps: TrainingDeps): Promise<void> {
  const folder = join(deps.run.folder, 'training');
  const madeBy = (name: JvmName) => join(folder, `${name}.jsa`);
  mkdirSync(folder);
  const flags = (name: JvmName) => [
    '-XX:+IgnoreUnrecognizedVMOptions',
    `-XX:ArchiveClassesAtExit=${madeBy(name)}`,
  ];
  const [broker = 0, controller = 0, port = 0] = await freePorts(3);
  const jvm = { ...deps, folder, flags };
  const servers = [nativeKafka(jvm, { broker, controller }), nativeRegistry(jvm, port)];
  deps.say('running Kafka and the registry once, so that they start in half the time from now on');
  try {
    await withHeartbeat(
      deps.say,
      (seconds) => `still running them once (${seconds} s)`,
      async () => {
        await Promise.all(servers.map((server) => server.start()));
        await Promise.all(servers.map((server) => server.stop()));
      },
    );
  } catch (error) {
    deps.say(`that did not work, so they will start slower: ${messageOf(error)}`);
  }
  for (const name of NAMES) keep(madeBy(name), classArchivePath(name, deps.java, deps.archives));
}

/** An empty file says that there is nothing to learn with this Java. */
function keep(made: string, path: string): void {
  const beside = `${path}.${process.pid}`;
  if (existsSync(made)) copyFileSync(made, beside);
  else writeFileSync(beside, '');
  renameSync(beside, path);
}
