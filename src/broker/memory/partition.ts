// One partition of the in-memory log: records at consecutive offsets, forgotten from the front only.
import type { LogRecord, OutgoingRecord } from '../log.ts';

export interface MemoryPartition {
  append(record: Omit<LogRecord, 'offset'>): void;
  /** Records from `offset`, at least one when there is one, within both limits. */
  read(offset: number, limit: ReadLimit): readonly LogRecord[];
  range(): { readonly start: number; readonly end: number };
  trim(offset: number): void;
}

export interface ReadLimit {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

export function memoryPartition(): MemoryPartition {
  let start = 0;
  let records: LogRecord[] = [];
  return {
    append: (record) => void records.push({ ...record, offset: start + records.length }),
    read(offset, { maxRecords, maxBytes }) {
      const from = Math.max(0, offset - start);
      let bytes = 0;
      let end = from;
      for (let next = records[end]; next !== undefined && end - from < maxRecords; next = records[end]) {
        bytes += bytesOf(next);
        if (end > from && bytes > maxBytes) break;
        end += 1;
      }
      return records.slice(from, end);
    },
    range: () => ({ start, end: start + records.length }),
    trim(offset) {
      const dropped = Math.min(Math.max(0, offset - start), records.length);
      records = records.slice(dropped);
      start += dropped;
    },
  };
}

export function bytesOf({ key, value, headers }: Pick<OutgoingRecord, 'key' | 'value' | 'headers'>): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers)) bytes += name.length + header.length;
  return bytes;
}
