// What operators order for everybody: pauses of a channel, a tenant or a template, and gates of providers, each begun or ended at any time.
// Straight into the tables, as `pin pause` and `pin gate` do.
import { pauseOfHold } from '../../domain/hold.ts';
import type { Notification } from '../../domain/notification.ts';
import { type PauseKey, pauseScope } from '../../domain/pause.ts';
import { lastEntry } from '../../domain/trail.ts';
import type { Stage } from '../stage.ts';
import type { Transition } from '../witness.ts';

const PAUSES: readonly PauseKey[] = [
  'tenant:tenant-a',
  'channel:email',
  'template:welcome',
  'tenant-none',
  'channel:sms',
];
const PROVIDERS = ['alpha', 'beta', 'gamma'];
/** null: until somebody opens it. */
const CLOSED_MS = [null, 6_000, 40_000];

/** Begins a pause, or ends it where it stands. */
export function orderPause({ world: { tape, time, tell }, database: { pauses } }: Stage): void {
  const key = PAUSES[tape.pick(PAUSES.length)] ?? 'tenant-none';
  const stands = pauses.has(key);
  tell('operator', () => `${stands ? 'resumes' : 'pauses'} ${key}`);
  if (stands) pauses.delete(key);
  else pauses.set(key, { key, reason: 'simulated', by: 'operator', sinceMs: time.nowMs() });
}

/** Closes the gate of a provider, for a while or until it is opened, or opens it. */
export function orderGate({ world: { tape, time, tell }, database: { gates } }: Stage): void {
  const providerKey = PROVIDERS[tape.pick(PROVIDERS.length)] ?? 'alpha';
  const isOpening = tape.pick(3) === 2;
  const forMs = isOpening ? null : (CLOSED_MS[tape.pick(CLOSED_MS.length)] ?? null);
  const changedAtMs = time.nowMs();
  tell(
    'operator',
    () => `${isOpening ? 'opens' : 'closes'} ${providerKey}${forMs === null ? '' : ` for ${forMs} ms`}`,
  );
  gates.set(providerKey, {
    ...{ providerKey, reason: 'simulated', by: 'operator', changedAtMs },
    state: isOpening ? 'open' : 'closed',
    untilMs: forMs === null ? null : changedAtMs + forMs,
    change: (gates.get(providerKey)?.change ?? 0) + 1,
  });
}

/** Nothing is paused any more, and every gate that an operator closed is opened. */
export function endOrders({ world: { time }, database: { gates, pauses } }: Stage): void {
  pauses.clear();
  for (const gate of gates.values())
    if (gate.state === 'closed')
      gates.set(gate.providerKey, {
        ...gate,
        ...{ state: 'open', untilMs: null, changedAtMs: time.nowMs(), change: gate.change + 1 },
      });
}

/** What rows met: every sort of pause, going on after one, and every reason why a gate was closed. */
export function countOrders({ world: { reach }, witness }: Stage): void {
  witness.onTransition((transition) => {
    for (const mark of marksOf(transition)) reach.count(mark);
  });
}

function marksOf({ before, after }: Transition): readonly string[] {
  const pauseBefore = pauseIn(before);
  const pause = pauseIn(after);
  const last = after.version === before?.version ? null : lastEntry(after.trail);
  return [
    ...(pause !== null && pause !== pauseBefore ? [`held paused ${pauseScope(pause)?.kind}`] : []),
    ...(pauseBefore !== null && after.claim !== null ? ['claimed after a pause'] : []),
    ...(last?.rule === 'gate-closed' ? [`waits at a gate: ${last.facts['why']}`] : []),
  ];
}

function pauseIn(row: Notification | null): PauseKey | null {
  return row?.hold == null ? null : pauseOfHold(row.hold);
}

export const ORDER_MARKS = [
  ...['channel', 'tenant', 'template'].map((kind) => `held paused ${kind}`),
  'claimed after a pause',
  ...['operator', 'failing', 'rate-limited', 'misconfigured', 'probe'].map(
    (why) => `waits at a gate: ${why}`,
  ),
];
