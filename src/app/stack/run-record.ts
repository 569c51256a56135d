// What one run of the stack has started, on disk, so that a later start can end it after a kill −9.
// A record is replaced whole (written beside, then renamed); it is never half written.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OwnedProcess } from './end-processes.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface RunRecord {
  readonly parent: ProcessIdentity;
  readonly children: readonly OwnedProcess[];
  readonly dataFolder: string;
}

/** Every data folder has this prefix; nothing else is ever removed. */
export const DATA_FOLDER_PREFIX = 'pin-stack-';

export function recordPath(cacheFolder: string, dataFolder: string): string {
  return join(runsFolder(cacheFolder), `${basename(dataFolder)}.json`);
}

export function writeRecord(path: string, record: RunRecord): void {
  mkdirSync(join(path, '..'), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, JSON.stringify(record));
  renameSync(beside, path);
}

export function removeRecord(path: string): void {
  rmSync(path, { force: true });
}

/** All records, newest or not; an unreadable one has a null record. */
export function readRecords(
  cacheFolder: string,
): { readonly path: string; readonly record: RunRecord | null }[] {
  const folder = runsFolder(cacheFolder);
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ path: join(folder, name), record: readRecord(join(folder, name)) }));
}

export function removeDataFolder(folder: string): void {
  if (!basename(folder).startsWith(DATA_FOLDER_PREFIX)) return;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function readRecord(path: string): RunRecord | null {
  try {
    // Written by this module and nobody else; a record of an older shape is caught below.
    const record = JSON.parse(readFileSync(path, 'utf8')) as RunRecord;
    return Array.isArray(record.children) && typeof record.dataFolder === 'string' ? record : null;
  } catch {
    return null;
  }
}

function runsFolder(cacheFolder: string): string {
  return join(cacheFolder, 'runs');
}
