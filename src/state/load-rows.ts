// Reads rows of many keys in one statement, with their contents and the store's clock, or with the tokens of their last writes.
import type { NotificationId } from '../domain/notification-id.ts';
import type { Content, NotificationRequest } from '../domain/request.ts';
import { epochMs, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql, NOW_SQL } from './change-columns.ts';
import { encodeArray } from './column-array.ts';
import type { TokenedRow } from './flush.ts';
import { ROW_CELLS, ROW_SQL, rowOf } from './row-reading.ts';
import type { Statement } from './statement.ts';
import type { Loaded, Stored } from './store.ts';

type Answer = readonly (readonly TextCell[])[];

/** The outer join gives the clock also when no key is there: one row, all null but the clock. */
export function loadStatement(schema: string): Statement {
  return {
    name: 'pin_load_rows',
    text: `select ${ROW_SQL}, ${epochSql('clock.at')}, c.payload_hash, c.recipient_hash, c.traceparent, c.request
from (select ${NOW_SQL} as at) as clock
left join (
  unnest($1::uuid[]) as wanted (id)
  join ${schema}.notifications as n on n.id = wanted.id
  left join ${schema}.notification_contents as c on c.id = n.id
) on true`,
  };
}

export function loadedOf(answer: Answer): Loaded {
  const found = new Map<NotificationId, Stored>();
  for (const cells of answer) {
    if (cells[0] === null) continue;
    const row = rowOf(cells);
    found.set(row.id, { row, ...contentOf(cells.slice(ROW_CELLS + 1)) });
  }
  return { nowMs: epochMs(answer[0]?.[ROW_CELLS]), found };
}

/** A tombstone has lost its request. Contents that somebody deleted by hand match no payload, and the row lives on. */
function contentOf([payloadHash, recipientHash, traceparent, request]: readonly TextCell[]) {
  const hash = textOrNull(payloadHash) ?? '';
  const requestJson = textOrNull(request);
  const content: Content | null =
    requestJson === null
      ? null
      : {
          request: JSON.parse(requestJson) as NotificationRequest,
          payloadHash: hash,
          recipientHash: text(recipientHash),
          traceparent: textOrNull(traceparent),
        };
  return { content, payloadHash: hash };
}

export function tokenStatement(schema: string): Statement {
  return {
    name: 'pin_read_tokens',
    text: `select ${ROW_SQL}, n.write_token
from unnest($1::uuid[]) as wanted (id) join ${schema}.notifications as n on n.id = wanted.id`,
  };
}

export function tokenedRows(answer: Answer): ReadonlyMap<NotificationId, TokenedRow> {
  return new Map(
    answer.map((cells) => {
      const row = rowOf(cells);
      return [row.id, { row, writeToken: text(cells[ROW_CELLS]) }];
    }),
  );
}

export function keyParameters(ids: readonly NotificationId[]): readonly Buffer[] {
  return [encodeArray('uuid', ids)];
}
