// How commands print: data on stdout as a table for people or as JSON lines for programs, talk on stderr. Colour only on a terminal
// and only where NO_COLOR is not set.
import CliTable from 'cli-table3';
import { createColors } from 'picocolors';
import { variable } from './config/setting-source.ts';
import type { Environment, TextSink } from './environment.ts';

export type Colors = ReturnType<typeof createColors>;

export function colorsFor(environment: Environment, sink: TextSink): Colors {
  return createColors(sink.isTerminal && variable(environment.variables, 'NO_COLOR') === null);
}

/** A line of talk. */
export function say(environment: Environment, line: string): void {
  environment.stderr.write(`${line}\n`);
}

/** A line of data. */
export function print(environment: Environment, line: string): void {
  environment.stdout.write(`${line}\n`);
}

/** One JSON value, one line. */
export function printJson(environment: Environment, value: unknown): void {
  print(environment, JSON.stringify(value));
}

export type Cell = string | number | boolean | null;

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns without lines; null shows as a dash, and an empty table as nothing but its head. */
export function printTable(
  environment: Environment,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const colors = colorsFor(environment, environment.stdout);
  const table = new CliTable({
    head: head.map((title) => colors.bold(title)),
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell)))));
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  print(environment, lines.join('\n'));
}
