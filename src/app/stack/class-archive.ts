// Application class-data sharing: a file of the classes a JVM had loaded by the time it answered lets the next one
// start in half the time. A JVM ignores a file that does not fit it. Written by class-training.ts.
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Java } from './find-program.ts';

export type JvmName = 'kafka' | 'registry';

const FINGERPRINT_CHARS = 12;

/** Beside the jars it names: it is good for them in that very place, and for that very Java. */
export function classArchivePath(name: JvmName, java: Java, archives: string): string {
  const fingerprint = createHash('sha256').update(java.version).digest('hex').slice(0, FINGERPRINT_CHARS);
  return join(archives, `${name}-${fingerprint}.jsa`);
}

/** Flags for a JVM that uses it; none where it is missing, or empty because this Java cannot write one. */
export function classArchiveFlags(name: JvmName, java: Java, archives: string): readonly string[] {
  const path = classArchivePath(name, java, archives);
  return existsSync(path) && statSync(path).size > 0 ? [`-XX:SharedArchiveFile=${path}`] : [];
}
