// A Fault says that our own machinery failed: a server is away, a setting is unsafe, an answer made no sense.
// Expected answers of the world are union values, never Faults. A bug is an assertion (`invariant`), and the process stops.

export interface FaultOptions {
  /** True when the same call may succeed later without anyone changing anything. */
  readonly retriable: boolean;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly code: string;
  readonly retriable: boolean;

  constructor(code: string, message: string, options: FaultOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.retriable = options.retriable;
  }
}

export function isFault(error: unknown): error is Fault {
  return error instanceof Fault;
}

/** A broken invariant is a bug of ours: nobody catches it, the process ends with exit code 70. */
export class InvariantBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantBroken';
  }
}

/** @throws InvariantBroken when `holds` is false. */
export function invariant(holds: boolean, message: string): asserts holds {
  if (!holds) throw new InvariantBroken(message);
}

/** The message of anything thrown, bounded to `maxChars`. */
export function messageOf(error: unknown, maxChars = 300): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}
