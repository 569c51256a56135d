// Every tape that ever broke an invariant: what it broke then, and in words why. They are run for ever.
import { readdirSync, readFileSync } from 'node:fs';
import type { Choices } from '../../src/simulation/tape.ts';

export interface CorpusEntry {
  readonly name: string;
  /** The invariant that broke when it was found. */
  readonly broke: string;
  readonly story: string;
  readonly tape: Choices;
}

const FOLDER = new URL('./corpus/', import.meta.url);

export function readCorpus(): readonly CorpusEntry[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => {
    const entry = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Omit<CorpusEntry, 'name'>;
    return { ...entry, name: file.replace('.json', '') };
  });
}
