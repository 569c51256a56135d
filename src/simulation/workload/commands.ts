// What people ask: mark-read, cancel, redrive, release and close, at any time, also before the request came, for another tenant, twice.
import { COMMAND_KINDS, type NotificationCommand } from '../../domain/notification-command.ts';
import { notificationCommandRecord } from '../../streams/notification-command.ts';
import type { Stage } from '../stage.ts';
import { requestId } from './requests.ts';

/** Chances of 1 to 4 of them. */
const COMMANDS_CHANCES = [0.2, 0.08, 0.03, 0.01];
const WITHIN_MS = 24_000;
const MOMENTS = 24;
const TENANTS = [null, 'tenant-a', 'tenant-b'];
const CYCLES = [null, 0, 1];

export function giveCommands(stage: Stage): void {
  const { tape, time } = stage.world;
  const count = tape.roll(COMMANDS_CHANCES);
  for (let n = 1; n <= count; n += 1) {
    const kind = COMMAND_KINDS[tape.pick(COMMAND_KINDS.length)] ?? 'cancel';
    const notificationId = requestId(1 + tape.pick(3));
    const atMs = (WITHIN_MS * tape.pick(MOMENTS)) / MOMENTS;
    const isForced = tape.pick(2) === 1;
    const expectedCycle = CYCLES[tape.pick(CYCLES.length)] ?? null;
    const isStranger = tape.pick(5) === 4;
    const repeatsAfterMs = tape.pick(3) * 5_000;
    const give = () => {
      // People see the tenant of what they act on; a stranger names another one.
      const own =
        stage.asked.get(notificationId)?.payloads[0]?.tenantId ?? stage.drafts.get(notificationId) ?? null;
      const other = TENANTS.find((tenant) => tenant !== own) ?? null;
      append(stage, {
        commandId: `00000000-0000-4000-b000-${String(n).padStart(12, '0')}`,
        notificationId,
        tenantId: isStranger ? other : own,
        kind,
        actor: `actor-${n}`,
        reason: null,
        expectedCycle,
        isForced,
        issuedAtMs: time.nowMs(),
      });
    };
    time.plan(atMs, give);
    if (repeatsAfterMs > 0) time.plan(atMs + repeatsAfterMs, give);
  }
}

function append({ world, broker, topics, codec }: Stage, command: NotificationCommand): void {
  const { kind, actor, notificationId } = command;
  world.reach.count(`command ${kind}`);
  world.tell(
    actor,
    () => `asks for ${kind} of ${notificationId.slice(-2)}${command.isForced ? ', forced' : ''}`,
  );
  broker.partitions.append(notificationCommandRecord(topics, codec, command, null));
}
