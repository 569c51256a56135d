// Ends what a run left behind whose own process is gone (kill −9, power, an out-of-memory kill).
// Never touches the servers of a run that is still going.
import { endProcesses } from './end-processes.ts';
import { isAlive } from './process-identity.ts';
import { readRecords, removeDataFolder, removeRecord } from './run-record.ts';

/** Returns how many processes were ended. */
export function endLeftovers(cacheFolder: string): number {
  let ended = 0;
  for (const { path, record } of readRecords(cacheFolder)) {
    if (record !== null && isAlive(record.parent)) continue;
    if (record !== null) {
      ended += endProcesses(record.children);
      removeDataFolder(record.dataFolder);
    }
    removeRecord(path);
  }
  return ended;
}
