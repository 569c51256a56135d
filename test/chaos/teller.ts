// Tells webhooks about the messages of the vendor's ledger and commands about requests, as each one's fate wants it: repeated, out of order,
// early (before the answer to the call) and late. What it told is counted; what arrived is counted by others.
import { randomUUID } from 'node:crypto';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import type { ProviderWebhook } from '../../src/domain/provider-webhook.ts';
import { fractionOf } from '../../src/lab/vendor-plan.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';
import type { RealWorld } from '../support/real-service.ts';
import { tellCommand, tellWebhook } from '../support/told-later.ts';
import { fateOf } from './fates.ts';

export interface Teller {
  /** Before its request is sent. @throws what a send threw */
  announce(id: NotificationId, tenantId: string | null): Promise<void>;
  told(): { readonly webhooks: number; readonly commands: number };
  /** Tells at once whatever is still to be told, and then no more. @throws what a send threw */
  end(): Promise<void>;
}

type Message = RealWorld['vendor']['ledger']['messages'][number];
type News = Partial<ProviderWebhook> & Pick<ProviderWebhook, 'verdict'>;

const TICK_MS = 100;
const SPREAD_MS = 3_000;
const LATE_MS = 15_000;

export function startTeller(world: RealWorld): Teller {
  const due: { readonly atMs: number; readonly tell: () => Promise<void> }[] = [];
  const counts = { webhooks: 0, commands: 0 };
  let known = 0;
  let isEnded = false;

  const plan = (message: Message) => {
    for (const { news, afterMs } of newsAbout(message)) {
      const tell = () => {
        counts.webhooks += 1;
        return tellWebhook(world, message.reference as NotificationId, news);
      };
      due.push({ atMs: systemClock.nowMs() + afterMs, tell });
    }
  };
  const look = () => {
    const { messages } = world.vendor.ledger;
    for (const message of messages.slice(known)) plan(message);
    known = messages.length;
  };
  const tellDue = async (nowMs: number) => {
    const ready = due.filter(({ atMs }) => atMs <= nowMs);
    const left = due.filter(({ atMs }) => atMs > nowMs);
    due.splice(0, due.length, ...left);
    await Promise.all(ready.map(({ tell }) => tell()));
  };
  const run = async () => {
    while (!isEnded) {
      look();
      await tellDue(systemClock.nowMs());
      await pause(systemTimers, TICK_MS);
    }
  };
  const running = run();
  return {
    async announce(id, tenantId) {
      const fate = fateOf(id);
      if (fate !== 'cancelled' && fate !== 'read') return;
      const command = {
        kind: fate === 'read' ? 'mark-read' : 'cancel',
        commandId: randomUUID(),
        tenantId,
      } as const;
      const times = fate === 'read' ? 2 : 1;
      counts.commands += times;
      for (let time = 0; time < times; time += 1) await tellCommand(world, id, command);
    },
    told: () => counts,
    async end() {
      isEnded = true;
      await running;
      look();
      await tellDue(Number.POSITIVE_INFINITY);
    },
  };
}

interface Told {
  readonly news: News;
  readonly afterMs: number;
}

/** Everything that the vendor will say about the message, in no order. */
function newsAbout({ reference, messageId, cycle, atMs }: Message): readonly Told[] {
  const draw = (what: string) => fractionOf(`${messageId}/${what}`);
  const of = { providerMessageId: messageId, occurredAtMs: atMs };
  const told = (verdict: News['verdict'], name: string, over: Partial<ProviderWebhook> = {}): Told => ({
    news: { ...of, verdict, ...over },
    afterMs: Math.floor(draw(name) ** 2 * SPREAD_MS),
  });
  const times = (most: number) =>
    Array.from({ length: 1 + Math.floor(draw('times') * most) }, (_, n) => String(n));
  switch (fateOf(reference)) {
    case 'delivered':
      return times(6).map((name) => told('delivered', name));
    case 'shuffled':
      return ['1', '2'].flatMap((name) =>
        (['delivered', 'read', 'complained', 'unsubscribed'] as const).map((verdict) =>
          told(verdict, verdict + name),
        ),
      );
    case 'bounced': {
      if (cycle > 0) return [told('delivered', 'again')];
      const bounce = { errorClass: 'transient', errorCode: 'mailbox_full' } as const;
      const late = { ...told('failed', 'late', bounce), afterMs: LATE_MS };
      return [...times(3).map((name) => told('failed', name, bounce)), late];
    }
    case 'cancelled':
      return [told('delivered', 'after-all')];
    default:
      return [];
  }
}
