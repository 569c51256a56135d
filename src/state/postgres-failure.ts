// What an error of Postgres means for the statement that met it. SQLSTATE classes: PostgreSQL manual, appendix A.
import { Fault, isFault, messageOf } from '../runtime/fault.ts';
import { UnstorableValue } from './column-array.ts';

export type PostgresFailure =
  /** The data is at fault: the same statement will always be refused. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Rolled back; the same statement may pass. */
  | { readonly kind: 'conflict'; readonly reason: string }
  /** The server said no for a reason that is not the data's: missing table, no rights, a standby, a full disk. */
  | { readonly kind: 'unfit'; readonly reason: string }
  /** No server answered. */
  | { readonly kind: 'lost'; readonly reason: string };

/** Data exceptions, integrity violations, limits of one row, and what a trigger raises. */
const REFUSED_CLASSES = ['21', '22', '23', '44', '54', 'P0', 'XX'];
const SERIALIZATION_CLASS = '40';
const LOCK_TIMEOUT = '55P03';
const QUERY_CANCELED = '57014';
/** Connection exceptions; operator intervention (shutdown, terminated by an administrator). */
const LOST_CLASSES = ['08', '57'];

export function postgresFailure(error: unknown): PostgresFailure {
  if (error instanceof UnstorableValue) return { kind: 'refused', reason: error.message };
  if (!isServerError(error)) return { kind: 'lost', reason: messageOf(error) };
  const { code, constraint } = error;
  const reason = `${code} ${constraint ?? messageOf(error)}`;
  if (REFUSED_CLASSES.includes(code.slice(0, 2))) return { kind: 'refused', reason };
  if (code.startsWith(SERIALIZATION_CLASS) || code === LOCK_TIMEOUT || code === QUERY_CANCELED) {
    return { kind: 'conflict', reason };
  }
  return LOST_CLASSES.includes(code.slice(0, 2)) ? { kind: 'lost', reason } : { kind: 'unfit', reason };
}

interface ServerError {
  readonly severity: string;
  readonly code: string;
  readonly constraint?: string;
}

/** Only the server's own answers have a severity; a socket's error has a `code` too. */
function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
}

/** The Fault that callers of the store see: STATE_UNAVAILABLE, or STATE_REFUSED when trying again is useless. */
export function stateFault(error: unknown): Fault {
  if (isFault(error)) return error;
  const { kind, reason } = postgresFailure(error);
  return kind === 'refused'
    ? new Fault('STATE_REFUSED', reason, { retriable: false, cause: error })
    : new Fault('STATE_UNAVAILABLE', reason, { retriable: true, cause: error });
}
