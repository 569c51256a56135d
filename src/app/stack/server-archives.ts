// Kafka, the registry and Redis as files, fetched once by Maven and kept in the cache folder. Promises that what is in
// place is whole: it is put together beside and renamed last, so a killed or a second download does no harm.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokerSettings } from './broker-settings.ts';
import { newClusterId } from './cluster-id.ts';
import type { Java } from './find-program.ts';
import { withHeartbeat } from './heartbeat.ts';
import { type Command, runCommand } from './run-command.ts';
import type { StackRun } from './stack-run.ts';

export const REGISTRY_JAR = join('registry', 'apicurio-registry-app-2.6.13.Final-runner.jar');
/** An empty Kafka data folder, formatted; each run starts from a copy. */
export const FORMATTED_FOLDER = 'kafka-formatted';

export interface FetchDeps {
  readonly run: StackRun;
  readonly java: Java;
  readonly archives: string;
  readonly mvn: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

const POM = fileURLToPath(new URL('../../../deploy/native/pom.xml', import.meta.url));
const FINGERPRINT_CHARS = 12;
const COMPLETE = 'complete';
const FETCH_LIMIT_MS = 10 * 60_000;
const FORMAT_LIMIT_MS = 60_000;

/** Where they are, or will be; named after the pom, so another version is another folder. */
export function archivesFolder(cacheFolder: string): string {
  const fingerprint = createHash('sha256')
    .update(readFileSync(POM))
    .digest('hex')
    .slice(0, FINGERPRINT_CHARS);
  return join(cacheFolder, `servers-${fingerprint}`);
}

export function archivesAreHere(folder: string): boolean {
  return existsSync(join(folder, COMPLETE));
}

/** Only under the download lock. @throws Fault PIN_STACK_COMMAND_FAILED when Maven cannot get them. */
export async function fetchArchives(deps: FetchDeps): Promise<void> {
  const folder = deps.archives;
  removeUnfinished(folder);
  const beside = `${folder}.unfinished-${process.pid}`;
  mkdirSync(beside);
  await runMaven(deps, beside);
  await formatKafka(deps, join(beside, 'target'));
  writeFileSync(join(beside, 'target', COMPLETE), '');
  renameSync(join(beside, 'target'), folder);
  rmSync(beside, { recursive: true, force: true });
}

function removeUnfinished(folder: string): void {
  const unfinished = readdirSync(dirname(folder)).filter((name) =>
    name.startsWith(`${basename(folder)}.unfinished-`),
  );
  for (const name of [...unfinished, basename(folder)]) {
    rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function runMaven(deps: FetchDeps, folder: string): Promise<void> {
  copyFileSync(POM, join(folder, 'pom.xml'));
  let files = 0;
  const command: Command = {
    name: 'mvn',
    program: deps.mvn,
    args: ['-B', '-f', join(folder, 'pom.xml'), 'package'],
    limitMs: FETCH_LIMIT_MS,
    environment: deps.environment,
    folder,
    onLine: (line) => {
      if (line.includes('Downloaded from')) files += 1;
    },
  };
  deps.say('fetching Kafka, the registry and Redis with Maven, about 200 MB, once');
  const line = (seconds: number) => `still fetching: ${seconds} s, ${files} files so far`;
  await withHeartbeat(deps.say, line, () => runCommand(deps.run, command));
}

async function formatKafka(deps: FetchDeps, target: string): Promise<void> {
  const dataFolder = join(target, FORMATTED_FOLDER);
  const settings = join(target, 'format.properties');
  writeFileSync(settings, brokerSettings({ broker: 9092, controller: 9093, dataFolder }));
  await runCommand(deps.run, {
    name: 'kafka format',
    program: deps.java.program,
    args: [
      '-cp',
      join(target, 'kafka', '*'),
      'kafka.tools.StorageTool',
      'format',
      '-t',
      newClusterId(),
      '-c',
      settings,
    ],
    limitMs: FORMAT_LIMIT_MS,
    environment: deps.environment,
  });
}
