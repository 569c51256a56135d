// The Avro schemas as shipped with the package: the current one of each topic value, and every version that was ever released.
// It never writes and never talks to a registry.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fault, invariant } from '../runtime/fault.ts';

export const SCHEMA_NAMES = [
  'notification-requested',
  'provider-webhook',
  'notification-command',
  'retry-due',
  'notification-dispatched-event',
] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

export interface SchemaFamily {
  readonly name: SchemaName;
  /** What this version of the program reads as. JSON text without white space. */
  readonly current: string;
  /** Version 1 first, at least one. Records are written with these and nothing else. */
  readonly released: readonly string[];
}

/** Beside `src` and beside `dist` alike. */
const PACKAGED = fileURLToPath(new URL('../../schemas/', import.meta.url));

/** @throws Fault SCHEMAS_UNREADABLE when a file is missing or is no JSON */
export function readSchemaFamily(name: SchemaName, folder = PACKAGED): SchemaFamily {
  try {
    const released = versionsIn(`${folder}/released/${name}`);
    return { name, current: compactJson(`${folder}/${name}.avsc`), released };
  } catch (cause) {
    throw new Fault('SCHEMAS_UNREADABLE', `cannot read the schemas of ${name} in ${folder}`, {
      retriable: false,
      cause,
    });
  }
}

const VERSION_FILE = /^v([1-9][0-9]{0,3})\.avsc$/;

function versionsIn(folder: string): readonly string[] {
  const numbers = readdirSync(folder)
    .flatMap((file) => VERSION_FILE.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  invariant(
    numbers.length > 0 && numbers.at(-1) === numbers.length,
    `released versions in ${folder} must be v1 to vN without a gap`,
  );
  return numbers.map((version) => compactJson(`${folder}/v${version}.avsc`));
}

function compactJson(path: string): string {
  return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
}
