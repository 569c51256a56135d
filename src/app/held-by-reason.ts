// Each pause counts apart in the table; its key names a tenant or a template, which is no label of a metric.
import type { Channel } from '../domain/channel.ts';
import { type Hold, type HoldReason, holdReasonOf } from '../domain/hold.ts';

interface HeldByReason {
  readonly channel: Channel;
  readonly reason: HoldReason;
  readonly count: number;
}

export function heldByReason(
  held: readonly { readonly channel: Channel; readonly hold: Hold; readonly count: number }[],
): readonly HeldByReason[] {
  const sums = new Map<string, HeldByReason>();
  for (const { channel, hold, count } of held) {
    const reason = holdReasonOf(hold);
    const key = `${channel} ${reason}`;
    sums.set(key, { channel, reason, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}
