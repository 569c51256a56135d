// What comes from outside while processes change hands: reports of providers, commands of people, and everything once more.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { CommandKind } from '../../../src/domain/notification-command.ts';
import { type NotificationId, parseNotificationId } from '../../../src/domain/notification-id.ts';
import type { ProviderWebhook, WebhookVerdict } from '../../../src/domain/provider-webhook.ts';
import { parkUnnamed } from '../../../src/state/parking-call.ts';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import { providerWebhookRecord } from '../../../src/streams/provider-webhook.ts';
import { DEFAULT_RETENTION } from '../../../src/topology/retention-settings.ts';
import { aCommand, anId, aWebhook } from '../../support/a-notification.ts';
import { type Driven, outcomes, settled } from '../../unit/topology/driving.ts';

export type OutsideMove =
  | {
      readonly kind: 'report';
      readonly pick: number;
      readonly verdict: WebhookVerdict;
      /** False: the vendor names only its own message. */
      readonly isNamed: boolean;
    }
  | { readonly kind: 'command'; readonly pick: number; readonly ask: CommandKind };

type Moves = readonly fc.WeightedArbitrary<OutsideMove>[];

const pick = fc.nat({ max: 7 });
/** What changes no end: reports of arrival, and commands that leave delivery alone. */
export const harmless: Moves = [
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick,
      verdict: fc.constantFrom('delivered', 'complained', 'read'),
      isNamed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      pick,
      ask: fc.constantFrom('mark-read', 'close', 'release'),
    }),
  },
];
/** What may undo an end, or bring one. */
export const harmful: Moves = [
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick,
      verdict: fc.constantFrom('failed', 'delivered'),
      isNamed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      pick,
      ask: fc.constantFrom('cancel', 'redrive'),
    }),
  },
];

/** Ids of reports and commands, the same for the same moves within one run. */
let told = 0;

/** About one of the messages that went out; a door that does not know its notification parks it. */
export async function report(driver: Driven, move: Extract<OutsideMove, { kind: 'report' }>): Promise<void> {
  const message = driver.mail.messages[move.pick % Math.max(1, driver.mail.messages.length)];
  const notificationId = parseNotificationId(message?.reference ?? '');
  if (message === undefined || notificationId === null) return;
  told += 1;
  const { providerMessageId } = message;
  const webhook = aWebhook({ eventId: anId(told), notificationId, providerMessageId, verdict: move.verdict });
  const producer = await driver.log.producer();
  const publish = async (named: ProviderWebhook) => {
    await producer.send(providerWebhookRecord(driver.topics, driver.codec, named, null));
  };
  const { store, metrics } = driver.ports;
  const unnamed = { ...webhook, notificationId: null, providerMessageId };
  const door = async () =>
    void (await parkUnnamed({ store, metrics, keepMs: DEFAULT_RETENTION.parkedMs, publish }, unnamed));
  await settled(driver, move.isNamed ? publish(webhook) : door());
}

export async function command(
  driver: Driven,
  move: Extract<OutsideMove, { kind: 'command' }>,
): Promise<void> {
  told += 1;
  const notificationId = anId(1 + (move.pick % 3));
  const asked = aCommand({ commandId: anId(told), notificationId, kind: move.ask });
  const producer = await driver.log.producer();
  const record = notificationCommandRecord(driver.topics, driver.codec, asked, null);
  await settled(driver, producer.send(record));
}

/** Reads every input again from the start, as a group that lost its offsets. */
export async function replay(driver: Driven): Promise<void> {
  driver.log.beforeSend(() => 'ok');
  const producer = await driver.log.producer();
  const { requested, webhooks, commands, tiers } = driver.topics;
  for (const topic of [requested, webhooks, commands, ...tiers.map((tier) => tier.topic)])
    for (const { partition, key, value, headers } of driver.log.records(topic))
      await settled(driver, producer.send({ topic, partition, key, value, headers }));
  await driver.time.advance(120_000);
}

/** S3 and S11 for rows that may have ended more than once. */
export async function expectConsistent(driver: Driven, ids: readonly NotificationId[]): Promise<void> {
  const bytes = new Map<string, string>();
  for (const outcome of await outcomes(driver)) {
    const fact = `${outcome.notificationId} ${outcome.outcomeSeq}`;
    const said = JSON.stringify(outcome);
    expect(bytes.get(fact) ?? said).toBe(said);
    bytes.set(fact, said);
  }
  for (const id of ids) {
    const row = await driver.row(id);
    expect(row).toMatchObject({ publishedSeq: row?.outcomeSeq, claim: null });
    expect(row?.final).not.toBeNull();
    for (let seq = 1; seq <= (row?.outcomeSeq ?? 0); seq += 1) expect(bytes.has(`${id} ${seq}`)).toBe(true);
    if ((row?.outcomeSeq ?? 0) > 0)
      expect(bytes.get(`${id} ${row?.outcomeSeq}`)).toContain(`"status":"${row?.status}"`);
  }
  expect(bytes.size).toBe((await rowsOf(driver, ids)).reduce((sum, row) => sum + row.outcomeSeq, 0));
}

export async function rowsOf(driver: Driven, ids: readonly NotificationId[]) {
  const rows = await Promise.all(ids.map((id) => driver.row(id)));
  return rows.flatMap((row) => (row === null ? [] : [row]));
}
