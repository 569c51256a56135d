// What upstream services do: ask for notifications, ask again for the same, ask for something else under a used id, write nonsense.

import { partitionFor } from '../../broker/partitioner.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import { parseNotificationId } from '../../domain/notification-id.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import { invariant } from '../../runtime/fault.ts';
import { encodeRequest } from '../../streams/requested.ts';
import { SECRET_MARK } from '../secret-mark.ts';
import type { Stage } from '../stage.ts';
import { SIMULATED_CHANNELS } from './channels.ts';
import { registerToken } from './push-tokens.ts';

/** Chances of 1 to 3 more than one, and of a burst: as many as that, on one channel at one moment, more than a vendor takes. */
const MORE_REQUESTS_CHANCES = [0.2, 0.07, 0.03, 0.03];
const MAX_REQUESTS = 4;
const TENANTS = [null, 'tenant-a', 'tenant-b'];
const ASKED_WITHIN_MS = 8_000;
const NOT_BEFORE_MS = [null, null, 2_000, 20_000];
const NOT_AFTER_MS = [null, null, null, 3_000, 20_000, -1_000];
/** What else upstream does with an id. */
const EXTRAS = [
  'nothing',
  'again',
  'again-later',
  'conflict',
  'conflict-later',
  'misplaced',
  'other-tenant',
] as const;
const LATER_MS = 13_000;
/** Whose device comes back. */
const RETURNING = 2;

export function requestId(n: number): NotificationId {
  const id = parseNotificationId(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  invariant(id !== null, 'a simulated id is a uuid');
  return id;
}

/** When something is asked for, and on which channel. */
interface Asking {
  readonly atMs: number;
  readonly channel: NotificationRequest['channel'];
}

export function askForNotifications(stage: Stage): void {
  const { tape, time } = stage.world;
  const choice = tape.roll(MORE_REQUESTS_CHANCES);
  const isBurst = choice === MORE_REQUESTS_CHANCES.length;
  const requests = isBurst ? MAX_REQUESTS : 1 + choice;
  let burst: Asking | null = null;
  for (let n = 1; n <= requests; n += 1) {
    const asking = askForOne(stage, n, burst);
    if (isBurst) burst = asking;
  }
  if (tape.pick(6) === 5) time.plan(ASKED_WITHIN_MS / 2, () => writeNonsense(stage, null));
}

/** `like`: at that moment and on that channel, whatever is drawn. */
function askForOne(stage: Stage, n: number, like: Asking | null): Asking {
  const { tape, time } = stage.world;
  const drawnMs = Math.floor((ASKED_WITHIN_MS * tape.pick(8)) / 8);
  const atMs = like?.atMs ?? drawnMs;
  const drawn = drawRequest(stage, n, atMs);
  const draft = like === null ? drawn : { ...drawn, channel: like.channel };
  const extra = EXTRAS[tape.pick(EXTRAS.length)] ?? 'nothing';
  stage.drafts.set(draft.notificationId, draft.tenantId);
  if (draft.channel === 'push') registerToken(stage, draft, n === RETURNING);
  time.plan(atMs, () => produce(stage, draft, extra === 'misplaced' ? 'wrong' : 'own'));
  const repeat = repeatOf(draft, extra);
  if (repeat !== null)
    time.plan(atMs + (extra.endsWith('later') ? LATER_MS : 5), () => produce(stage, repeat, 'own'));
  return { atMs, channel: draft.channel };
}

function repeatOf(draft: NotificationRequest, extra: (typeof EXTRAS)[number]): NotificationRequest | null {
  switch (extra) {
    case 'nothing':
    case 'misplaced':
      return null;
    case 'conflict':
    case 'conflict-later':
      return { ...draft, data: { said: 'something else' } };
    case 'other-tenant':
      return { ...draft, tenantId: 'tenant-c' };
    default:
      return draft;
  }
}

function drawRequest(stage: Stage, n: number, atMs: number): NotificationRequest {
  const { tape, time } = stage.world;
  const channel = SIMULATED_CHANNELS[tape.pick(SIMULATED_CHANNELS.length)] ?? 'email';
  const askedAtMs = time.nowMs() + atMs;
  const notAfterMs = offset(askedAtMs, NOT_AFTER_MS[tape.pick(NOT_AFTER_MS.length)]);
  const notBeforeMs = offset(askedAtMs, NOT_BEFORE_MS[tape.pick(NOT_BEFORE_MS.length)]);
  const tenantId = TENANTS[tape.pick(TENANTS.length)] ?? null;
  const hasCopy = tape.pick(2) === 1;
  return {
    ...plainRequest(n, askedAtMs),
    tenantId,
    channel,
    inApp: hasCopy ? { userId: `user-${n}`, title: 'A copy', body: `${SECRET_MARK} copy` } : null,
    notBeforeMs:
      notAfterMs !== null && notBeforeMs !== null && notBeforeMs >= notAfterMs ? null : notBeforeMs,
    notAfterMs,
  };
}

function plainRequest(n: number, requestedAtMs: number): NotificationRequest {
  return {
    notificationId: requestId(n),
    tenantId: null,
    channel: 'email',
    recipient: `${SECRET_MARK}-${n}@example.org`,
    template: n % 2 === 0 ? { key: 'welcome', version: null, locale: null } : null,
    body:
      n % 2 === 0
        ? null
        : { subject: `${SECRET_MARK} subject`, text: `${SECRET_MARK} text ${n}`, html: null },
    data: {},
    inApp: null,
    notBeforeMs: null,
    notAfterMs: null,
    priority: null,
    parentId: null,
    aggregateType: null,
    aggregateId: null,
    orgUnitId: null,
    trigger: null,
    correlationId: `correlation-${n}`,
    causationId: null,
    requestedAtMs,
    attributes: { n: String(n) },
  };
}

function offset(ms: number, by: number | null | undefined): number | null {
  return by == null ? null : ms + by;
}

/** One more, from now on: a record that breaks the contract, and right behind it in the same partition a request for `n`. */
export function askBehindNonsense(stage: Stage, n: number): NotificationId {
  const id = requestId(n);
  writeNonsense(stage, partitionFor(Buffer.from(id), stage.broker.partitions.partitions));
  // A request with a copy gets its row at first sight; another one may wait for a permit first.
  const inApp = { userId: `user-${n}`, title: 'A copy', body: `${SECRET_MARK} copy` };
  produce(stage, { ...plainRequest(n, stage.world.time.nowMs()), inApp }, 'own');
  return id;
}

function produce(stage: Stage, request: NotificationRequest, where: 'own' | 'wrong'): void {
  const { broker, topics, codec, asked, world } = stage;
  const { notificationId: id } = request;
  const record = encodeRequest(topics, codec, request, null);
  const own = partitionFor(Buffer.from(id), broker.partitions.partitions);
  const partition = where === 'own' ? own : (own + 1) % broker.partitions.partitions;
  const known = asked.get(id) ?? { id, payloads: [] };
  known.payloads.push(request);
  asked.set(id, known);
  world.tell(
    'upstream',
    () => `asks for ${id.slice(-2)} on ${request.channel}${where === 'own' ? '' : ', in a wrong partition'}`,
  );
  broker.partitions.append({ ...record, partition });
}

/** A value that is no request, beside everybody else's. */
function writeNonsense({ broker, topics, poison, world }: Stage, partition: number | null): void {
  world.tell('upstream', () => 'writes nonsense');
  poison.count += 1;
  const key = Buffer.from(requestId(900));
  broker.partitions.append({
    topic: topics.requested,
    partition,
    key,
    value: Buffer.from('nonsense'),
    headers: {},
  });
}
