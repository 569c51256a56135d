// What is done once before native servers start: fetch them, and, so that they start in half the time, learn their
// classes. One process does it while others wait.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../runtime/fault.ts';
import { classArchiveFlags } from './class-archive.ts';
import { classesAreKnown, learnClasses } from './class-training.ts';
import { holdDownloadLock } from './download-lock.ts';
import type { JvmDeps } from './jvm-server.ts';
import type { StackOptions } from './running-stack.ts';
import { archivesAreHere, fetchArchives } from './server-archives.ts';
import type { NativePlan } from './stack-plan.ts';
import type { StackRun } from './stack-run.ts';
import { StackUnavailable } from './stack-unavailable.ts';

interface Preparation {
  readonly run: StackRun;
  readonly options: StackOptions;
  readonly plan: NativePlan;
}

/** @throws StackUnavailable when Maven cannot get them: off line this machine has no way to run them. */
export async function fetchServers(preparation: Preparation): Promise<void> {
  const { archives, mvn } = preparation.plan;
  const fetch = () => fetchArchives({ ...depsOf(preparation), say: preparation.options.say, mvn });
  try {
    await once(preparation, () => archivesAreHere(archives), fetch);
  } catch (error) {
    const missing = `Kafka and the registry, which Maven could not fetch (${messageOf(error)})`;
    throw new StackUnavailable([missing], ['connect to a Maven repository', 'start Docker']);
  }
}

/** For later starts; takes longer than a start saves, so never while somebody waits for one. */
export async function learnServers(preparation: Preparation): Promise<void> {
  if (!archivesAreHere(preparation.plan.archives)) return;
  const deps = depsOf(preparation);
  await once(
    preparation,
    () => classesAreKnown(deps),
    () => learnClasses({ ...deps, say: preparation.options.say }),
  );
}

/** What starts Kafka and the registry. */
export function jvmDepsOf(preparation: Preparation): JvmDeps {
  const { java, archives } = preparation.plan;
  return {
    ...depsOf(preparation),
    folder: preparation.run.folder,
    flags: (name) => classArchiveFlags(name, java, archives),
  };
}

function depsOf({ run, options, plan }: Preparation): Omit<JvmDeps, 'folder' | 'flags'> {
  return { run, java: plan.java, archives: plan.archives, environment: options.environment };
}

async function once(
  preparation: Preparation,
  isDone: () => boolean,
  work: () => Promise<void>,
): Promise<void> {
  if (isDone()) return;
  const { archives } = preparation.plan;
  mkdirSync(dirname(archives), { recursive: true });
  const lock = await holdDownloadLock(`${archives}.lock`, preparation.options.say);
  try {
    if (!isDone()) await work();
  } finally {
    lock.release();
  }
}
