// What vendors tell afterwards: each message may be reported delivered, failed, complained about, in any order, dozens of times, before our
// settle or long after it, with our reference or without, and some reports are about nothing that we know.
import { VERDICTS } from '../../domain/notification.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import type { ProviderWebhook, WebhookVerdict } from '../../domain/provider-webhook.ts';
import { providerWebhookRecord } from '../../streams/provider-webhook.ts';
import type { LedgerMessage } from '../ledger.ts';
import type { Stage } from '../stage.ts';
import { knock } from './door.ts';
import { requestId } from './requests.ts';

type Said = { readonly verdict: WebhookVerdict; readonly errorClass: 'refused' | null };

const DELIVERED: Said = { verdict: 'delivered', errorClass: null };
const BOUNCED: Said = { verdict: 'failed', errorClass: null };
const REFUSED: Said = { verdict: 'failed', errorClass: 'refused' };
const saying = (verdict: WebhookVerdict): Said => ({ verdict, errorClass: null });

/** By the choice of die `report`. */
const REPORTS: readonly (readonly Said[])[] = [
  [],
  [DELIVERED],
  [BOUNCED],
  [REFUSED],
  [BOUNCED, DELIVERED],
  [DELIVERED, BOUNCED],
  [DELIVERED, REFUSED],
  [saying('complained')],
  [saying('unsubscribed'), saying('read'), DELIVERED],
];
/** Before the answer to the call, with it, a while later, long after everything. */
const DELAYS_MS = [300, 0, 1, 4_000, 22_000];
const REPEATS = [0, 0, 1, 3, 46];
/** Of all but the first: dozens of repeats are rare, for they take as long as ten schedules. */
const REPEATS_CHANCES = [0.1, 0.2, 0.1, 0.004];
const MAX_KNOCKS = 3;
const BETWEEN_MS = 700;

/** A vendor put a message out: what it will say about it. */
export function reportOn(stage: Stage, message: LedgerMessage): void {
  const { dice, tape, time } = stage.world;
  const said = REPORTS[dice.roll('report', message.providerKey)] ?? [];
  if (said.length === 0) return;
  const delayMs = DELAYS_MS[tape.pick(DELAYS_MS.length)] ?? 0;
  const repeats = REPEATS[tape.roll(REPEATS_CHANCES)] ?? 0;
  // Each unnamed report is a process of its own at the door.
  const isNamed = tape.pick(3) < 2 || repeats > MAX_KNOCKS;
  for (const [index, one] of said.entries())
    for (let repeat = 0; repeat <= repeats; repeat += 1)
      time.plan(delayMs + BETWEEN_MS * index + repeat * repeat, () => say(stage, message, one, isNamed));
}

function say(stage: Stage, message: LedgerMessage, { verdict, errorClass }: Said, isNamed: boolean): void {
  const { world, vendors } = stage;
  const { messageId, reference, cycle, attempt, providerKey } = message;
  judge(message, verdict, errorClass);
  const echoes =
    vendors.find(({ facts }) => facts.providerKey === providerKey)?.facts.echoesReference === true;
  const webhook: ProviderWebhook = {
    eventId: eventIdOf(messageId, `${verdict}${errorClass ?? ''}`),
    notificationId: reference,
    provider: providerKey,
    providerMessageId: messageId,
    cycle: echoes ? cycle : null,
    attempt: echoes ? attempt : null,
    verdict,
    errorCode: null,
    errorClass,
    occurredAtMs: world.time.nowMs(),
    receivedAtMs: world.time.nowMs(),
  };
  stage.reports.push({ message, verdict, errorClass });
  if (isNamed || echoes) publish(stage, webhook);
  else knock(stage, { ...webhook, notificationId: null, providerMessageId: messageId });
}

/** The vendor's own last word: the highest verdict that it gave. */
function judge(message: LedgerMessage, verdict: WebhookVerdict, errorClass: 'refused' | null): void {
  if (verdict !== 'delivered' && verdict !== 'failed') return;
  const said =
    verdict === 'delivered' ? 'delivered' : errorClass === null ? 'failed-transient' : 'failed-hard';
  if (VERDICTS.indexOf(said) > VERDICTS.indexOf(message.verdict)) message.verdict = said;
}

function publish({ world, broker, topics, codec }: Stage, webhook: ProviderWebhook): void {
  const about = `${webhook.providerMessageId} of ${webhook.notificationId.slice(-2)}`;
  world.tell(webhook.provider, () => `reports ${webhook.verdict} ${webhook.errorClass ?? ''} of ${about}`);
  broker.partitions.append(providerWebhookRecord(topics, codec, webhook, null));
}

/** A report about a notification that nobody asked for. */
export function reportOnStrangers(stage: Stage): void {
  const { tape, time } = stage.world;
  if (tape.pick(5) !== 4) return;
  time.plan(3_000, () => {
    const stranger: NotificationId = requestId(800);
    stage.strangers.push(stranger);
    publish(stage, {
      eventId: eventIdOf('stranger', 'delivered'),
      notificationId: stranger,
      provider: 'alpha',
      providerMessageId: 'alpha-0',
      cycle: null,
      attempt: null,
      verdict: 'delivered',
      errorCode: null,
      errorClass: null,
      occurredAtMs: time.nowMs(),
      receivedAtMs: time.nowMs(),
    });
  });
}

/** The same for every repeat of one report. */
function eventIdOf(messageId: string, said: string): string {
  let mixed = 7;
  for (const char of `${messageId}/${said}`) mixed = (Math.imul(mixed, 31) + char.charCodeAt(0)) >>> 0;
  return `00000000-0000-4000-a000-${mixed.toString(16).padStart(12, '0')}`;
}
