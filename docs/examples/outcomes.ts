// Copies final outcomes into a table, each (notificationId, outcomeSeq) exactly once: the key of the table is what makes it so, the
// offset is only committed after the rows. Records may come again, after a crash or a replay of the topic, and change nothing.
import avro from 'avsc';
import { Kafka } from 'kafkajs';
import pg from 'pg';

const { KAFKA_BROKERS = '127.0.0.1:9092', REGISTRY_URL, DATABASE_URL, DISPATCHED_TOPIC = '', GROUP = 'analytics' } = process.env;

const table = `create table if not exists notification_outcomes (
  notification_id uuid, outcome_seq int, tenant_id text, channel text not null, status text not null, reason text not null,
  attempts int not null, error_code text, requested_at timestamptz not null, dispatched_at timestamptz not null,
  primary key (notification_id, outcome_seq))`;
/** One row for each notification: its highest outcome. */
const view = `create or replace view current_outcomes as
  select distinct on (notification_id) * from notification_outcomes order by notification_id, outcome_seq desc`;
const insert = `insert into notification_outcomes
  select (o->>'notificationId')::uuid, (o->>'outcomeSeq')::int, o->>'tenantId', o->>'channel', o->>'status', o->>'reason',
    (o->>'attempts')::int, o->>'errorCode', to_timestamp((o->>'requestedAt')::numeric / 1000), to_timestamp((o->>'dispatchedAt')::numeric / 1000)
  from jsonb_array_elements($1::jsonb) o on conflict (notification_id, outcome_seq) do nothing`;

const database = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
await database.query(table);
await database.query(view);

const types = new Map<number, avro.Type>();

/** Confluent framing: a zero, the schema's id, the Avro value. Ids are asked for once. */
async function outcomeOf(value: Buffer): Promise<unknown> {
  const id = value.readInt32BE(1);
  let type = types.get(id);
  if (type === undefined) {
    const response = await fetch(`${REGISTRY_URL}/schemas/ids/${id}`);
    const { schema } = (await response.json()) as { schema: string };
    type = avro.Type.forSchema(JSON.parse(schema));
    types.set(id, type);
  }
  return type.fromBuffer(value.subarray(5));
}

const kafka = new Kafka({ clientId: 'analytics', brokers: KAFKA_BROKERS.split(','), logLevel: 1 });
const consumer = kafka.consumer({ groupId: GROUP });
await consumer.connect();
await consumer.subscribe({ topic: DISPATCHED_TOPIC, fromBeginning: true });
await consumer.run({
  // One statement for the whole batch; only when it is committed does the offset move.
  eachBatch: async ({ batch }) => {
    const outcomes = await Promise.all(batch.messages.flatMap(({ value }) => (value === null ? [] : [outcomeOf(value)])));
    await database.query(insert, [JSON.stringify(outcomes)]);
  },
});

process.once('SIGTERM', async () => {
  await consumer.disconnect();
  await database.end();
});
