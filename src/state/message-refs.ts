// Which notification a provider's message belongs to. Written in the transaction of the change that made the message known, for
// messages whose webhooks do not say it. A message that is written again belongs to the newer one.
import type { NotificationId } from '../domain/notification-id.ts';
import { type Column, columnNames, columnParameters, encodeColumns } from './row-columns.ts';
import type { Statement } from './statement.ts';
import type { RowWrite } from './store.ts';

interface Ref {
  readonly id: NotificationId;
  readonly provider: string;
  readonly messageId: string;
  readonly writeToken: string;
}

const COLUMNS: readonly Column<Ref>[] = [
  { name: 'id', type: 'uuid', cell: ({ id }) => id },
  { name: 'provider', type: 'text', cell: ({ provider }) => provider },
  { name: 'message_id', type: 'text', cell: ({ messageId }) => messageId },
  { name: 'write_token', type: 'uuid', cell: ({ writeToken }) => writeToken },
];

/** Only of changes that were committed: the row carries their token. It comes after the update in the same transaction. */
export function refStatement(schema: string): Statement {
  return {
    name: 'pin_refer_messages',
    text: `insert into ${schema}.message_refs (provider, message_id, notification_id)
select distinct on (w.provider, w.message_id) w.provider, w.message_id, w.id
from unnest(${columnParameters(COLUMNS)}) as w (${columnNames(COLUMNS)})
join ${schema}.notifications as n on n.id = w.id and n.write_token = w.write_token
order by w.provider, w.message_id
on conflict (provider, message_id) do update set notification_id = excluded.notification_id`,
  };
}

/** @throws UnstorableValue */
export function refParameters(writes: readonly RowWrite[]): readonly Buffer[] {
  const refs = writes.flatMap(({ change, writeToken, messages = [] }) =>
    messages.map((message) => ({ ...message, id: change.next.id, writeToken })),
  );
  return encodeColumns(COLUMNS, refs);
}
