// The last words of a command that failed: one sentence for what a person can do something about, a stack only for a bug of ours.
import { Fault, isFault, messageOf } from '../runtime/fault.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode, exitCodeOf, lacksTables } from './exit-codes.ts';
import { StackUnavailable } from './stack/stack-unavailable.ts';

const MAX_CHARS = 4_000;

/** Writes to stderr and returns the exit code. */
export function reportFailure(environment: Environment, error: unknown): ExitCode {
  if (environment.signal.aborted && !isBug(error)) return EXIT.interrupted;
  if (error instanceof StackUnavailable) {
    environment.stderr.write(`pin: ${messageOf(error, MAX_CHARS)}\n`);
    return EXIT.unavailable;
  }
  if (isFault(error)) {
    environment.stderr.write(`pin: ${faultText(error)}\n`);
    return exitCodeOf(error);
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  environment.stderr.write(`pin: this is a bug, please report it\n${stack.slice(0, MAX_CHARS)}\n`);
  return EXIT.bug;
}

/** Who does not answer, and the setting that says where it is. */
const AWAY: Readonly<Record<string, string>> = {
  LOG_UNAVAILABLE: 'Kafka does not answer (PIN_KAFKA_BROKERS)',
  STATE_UNAVAILABLE: 'Postgres does not answer (PIN_DATABASE_URL)',
  REGISTRY_UNAVAILABLE: 'the schema registry does not answer (PIN_REGISTRY_URL)',
};

/** The sentence of a Fault, with what to do about it where that is known. */
export function faultWords(fault: Fault): string {
  const words = messageOf(fault, MAX_CHARS);
  if (lacksTables(fault)) return `the tables are not there yet: run \`pin migrate up\` (${words})`;
  const away = AWAY[fault.code];
  return away === undefined ? words : `${away}: ${words}`;
}

/** The code stands behind the first line; the mistakes of a call need none. */
function faultText(fault: Fault): string {
  const [first = '', ...more] = faultWords(fault).trimEnd().split('\n');
  const code = fault.code === 'USAGE' ? '' : ` [${fault.code}]`;
  return [`${first}${code}`, ...more].join('\n');
}

function isBug(error: unknown): boolean {
  return !isFault(error) && !(error instanceof StackUnavailable);
}

/** A mistake in how a command was called: exit code 2. */
export function usage(sentence: string): Fault {
  return new Fault('USAGE', sentence, { retriable: false });
}
