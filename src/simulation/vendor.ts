// A vendor behind a provider: takes calls, puts messages out, writes its ledger, and answers as the dice say. The adapter in the process
// keeps the port's promises (one call, one deadline, `mayStart` right before the first byte, an honest outcome); the vendor keeps those
// of its capability, and not a millisecond longer than it declared.
import type { LookupAnswer, ProviderFacts } from '../domain/call-outcome.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Provider, ProviderCall, SendAnswer } from '../providers/provider.ts';
import type { Incarnation } from './incarnation.ts';
import { type VendorDesk, vendorDesk } from './vendor-desk.ts';
import type { VendorParts } from './vendor-parts.ts';
import { answer, send } from './world.ts';

export interface Vendor {
  readonly facts: ProviderFacts;
  /** The provider as `process` has it. */
  adapterOf(process: Incarnation): Provider;
}

/** By the choice of die `connect`. */
const CONNECTS = ['at-once', 'slow', 'past-deadline', 'refused'] as const;
const SLOW_CONNECT_MS = 800;
const SLOW_LOOK_UP_MS = 1_500;

export function simulatedVendor(parts: VendorParts, facts: ProviderFacts): Vendor {
  const desk = vendorDesk(parts, facts);
  return {
    facts,
    adapterOf: (process) => ({
      facts,
      send: (call, mayStart) =>
        new Promise((resolve) =>
          connect(
            parts,
            desk,
            process,
            oneAnswer(process, facts, parts.world.time.nowMs(), resolve),
            call,
            mayStart,
          ),
        ),
      lookUp: (reference, cycle) => lookUp(parts, desk, process, reference, cycle),
      close: () => Promise.resolve(),
    }),
  };
}

function connect(
  parts: VendorParts,
  desk: VendorDesk,
  process: Incarnation,
  only: OneAnswer,
  call: ProviderCall,
  mayStart: () => boolean,
): void {
  const way = CONNECTS[parts.world.dice.roll('connect', desk.facts.capability)];
  if (way === 'past-deadline') return;
  process.arrive(way === 'slow' ? SLOW_CONNECT_MS : 1, () => {
    if (only.isOver()) return;
    if (way === 'refused') return only.answer({ kind: 'transient', providerCode: 'ECONNREFUSED' });
    if (!mayStart()) return only.answer({ kind: 'not-started' });
    only.started();
    request(parts, desk, process, call, only);
  });
}

interface OneAnswer {
  readonly askedAtMs: number;
  answer(given: SendAnswer): void;
  isOver(): boolean;
  /** The first byte leaves. */
  started(): void;
}

/** The first answer counts; without one the deadline speaks: `transient` while nothing was sent, `unknown` after. */
function oneAnswer(
  process: Incarnation,
  { deadlineMs }: ProviderFacts,
  askedAtMs: number,
  resolve: (answer: SendAnswer) => void,
): OneAnswer {
  let isOver = false;
  let hasStarted = false;
  const settle = (given: SendAnswer) => {
    if (isOver) return;
    isOver = true;
    cancel();
    resolve(given);
  };
  const cancel = process.timers.after(deadlineMs, () =>
    settle(
      hasStarted
        ? { kind: 'unknown', phase: 'sent', providerCode: 'deadline' }
        : { kind: 'transient', providerCode: 'connect-timeout' },
    ),
  );
  return {
    askedAtMs,
    answer: settle,
    isOver: () => isOver,
    started: () => {
      hasStarted = true;
    },
  };
}

function request(
  { world, onCall }: VendorParts,
  desk: VendorDesk,
  process: Incarnation,
  call: ProviderCall,
  only: OneAnswer,
): void {
  const at = `call ${desk.facts.providerKey}`;
  const entry = desk.entryOf(process.name, call, only.askedAtMs);
  // The first byte left: whatever happens to the process from here on, the vendor has it.
  onCall(entry);
  world.time.after(1, () => {
    desk.take(entry, call, (outcome) =>
      answer(world, process, at, true, () => {
        entry.isHeard = true;
        entry.isInTime = !only.isOver();
        only.answer(outcome);
      }),
    );
  });
}

function lookUp(
  { world }: VendorParts,
  desk: VendorDesk,
  process: Incarnation,
  reference: NotificationId,
  cycle: number,
): Promise<LookupAnswer> {
  const at = `look-up at ${desk.facts.providerKey}`;
  return new Promise((resolve) => {
    const late: LookupAnswer = { kind: 'unavailable', providerCode: 'deadline' };
    const cancel = process.timers.after(desk.facts.deadlineMs, () => resolve(late));
    send(world, process, at, true, () => {
      const fault = world.dice.roll('lookUp', desk.facts.capability);
      const isAway = fault === 1;
      const found = isAway ? ({ ...late, providerCode: '503' } as const) : desk.lookUp(reference, cycle);
      world.tell(
        desk.facts.providerKey,
        () => `is asked about ${reference.slice(-2)}/${cycle}: ${found.kind}`,
      );
      world.time.after(fault === 2 ? SLOW_LOOK_UP_MS : 0, () =>
        answer(world, process, at, true, () => {
          cancel();
          resolve(found);
        }),
      );
    });
  });
}
