// Makes a JVM start in half the time: at the end of the first run it writes down the classes it had loaded
// (application class-data sharing), and later runs map that file. A file that does not fit is ignored by the JVM.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Java } from './find-program.ts';

export interface ClassArchive {
  readonly flags: readonly string[];
  /** True when this run is the one that writes it: then a graceful stop is worth the wait. */
  readonly isBeingMade: boolean;
  /** After the JVM's graceful end. */
  keep(): void;
}

const FINGERPRINT_CHARS = 12;

/** `archives` holds the jars (and the class archive, once made); `folder` is the run's own. */
export function classArchive(name: string, java: Java, archives: string, folder: string): ClassArchive {
  const fingerprint = createHash('sha256').update(java.version).digest('hex').slice(0, FINGERPRINT_CHARS);
  const path = join(archives, `${name}-${fingerprint}.jsa`);
  if (existsSync(path)) return { flags: [`-XX:SharedArchiveFile=${path}`], isBeingMade: false, keep() {} };
  const made = join(folder, `${name}.jsa`);
  return {
    flags: ['-XX:+IgnoreUnrecognizedVMOptions', `-XX:ArchiveClassesAtExit=${made}`],
    isBeingMade: true,
    keep() {
      if (!existsSync(made)) return;
      const beside = `${path}.${process.pid}`;
      copyFileSync(made, beside);
      renameSync(beside, path);
    },
  };
}
