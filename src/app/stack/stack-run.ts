// Owns the children and the data folder of one run. Promises that both are gone after `close`, a normal exit, an
// uncaught error, Ctrl-C or SIGTERM; after a kill −9 the record lets the next start do it (leftovers.ts).
// Never keeps the process alive, and never ends it where the program listens for the signal itself.
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariant } from '../../runtime/fault.ts';
import { type Ending, endProcesses, type OwnedProcess } from './end-processes.ts';
import { identityOf, isAlive } from './process-identity.ts';
import { DATA_FOLDER_PREFIX, recordPath, removeDataFolder, removeRecord, writeRecord } from './run-record.ts';

export interface StackRun {
  /** For data and logs; removed at the end. */
  readonly folder: string;
  /** Call in the same tick as the spawn: from then on the child is ended with the run. */
  adopt(name: string, child: ChildProcess, ending: Ending): void;
  close(): void;
}

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Others may enter the folder (Postgres runs as another user when we are root) but not list it. */
const FOLDER_MODE = 0o711;
const openRuns = new Set<StackRun>();

export function openRun(cacheFolder: string): StackRun {
  const parent = identityOf(process.pid);
  invariant(parent !== null, 'a running process knows when it started');
  const folder = mkdtempSync(join(tmpdir(), DATA_FOLDER_PREFIX));
  chmodSync(folder, FOLDER_MODE);
  const path = recordPath(cacheFolder, folder);
  let children: OwnedProcess[] = [];
  const write = () => writeRecord(path, { parent, children, dataFolder: folder });
  write();

  const run: StackRun = {
    folder,
    adopt(name, child, ending) {
      if (!openRuns.has(run)) child.kill('SIGKILL'); // a start that was still going when another one failed
      const identity = child.pid === undefined ? null : identityOf(child.pid);
      if (identity === null || !openRuns.has(run)) return;
      children = [...children.filter(isAlive), { ...identity, name, ending }];
      write();
    },
    close() {
      if (!openRuns.delete(run)) return;
      endProcesses(children);
      removeDataFolder(folder);
      removeRecord(path);
      if (openRuns.size === 0) unwatch();
    },
  };
  if (openRuns.size === 0) watch();
  openRuns.add(run);
  return run;
}

function watch(): void {
  process.on('exit', closeAll);
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
}

function unwatch(): void {
  process.off('exit', closeAll);
  for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
}

function closeAll(): void {
  for (const run of [...openRuns]) run.close();
}

function onSignal(signal: NodeJS.Signals): void {
  // A program that listens too ends in its own time, and `exit` finds us then.
  if (process.listenerCount(signal) > 1) return;
  closeAll();
  process.kill(process.pid, signal);
}
