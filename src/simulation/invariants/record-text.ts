// Bytes of a record as text, for comparing and searching.
import type { LogRecord } from '../../broker/log.ts';

export function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes == null
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Which outcome it is: the same for repeats only. */
export function idOf(record: LogRecord): string {
  return textOf(record.headers['ce_id']);
}
