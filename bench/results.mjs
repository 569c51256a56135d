// Keeps the figures of every single run as JSON, for those who compare releases.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('results', import.meta.url));

export function saveResults(name, facts) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(facts, null, 2)}\n`);
}
