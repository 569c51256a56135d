import { describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/domain/call-outcome.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { type GateState, providerGates } from '../../../src/topology/provider-gate.ts';

const ACCEPTED: CallOutcome = { kind: 'accepted', providerMessageId: 'm-1' };
const UNAUTHORISED: CallOutcome = { kind: 'misconfigured', providerCode: '401' };
const limited = (retryAfterMs: number | null, scope: 'provider' | 'message' = 'provider'): CallOutcome => ({
  kind: 'rate-limited',
  retryAfterMs,
  scope,
  providerCode: null,
});

const BREAKER = { windowMs: 30_000, minCalls: 5, failureShare: 0.8 };

function aGate() {
  const time = virtualTime(0);
  const changes: GateState[] = [];
  const gates = providerGates({
    clock: time.clock,
    breaker: BREAKER,
    onChange: (_, state) => changes.push(state),
  });
  const enter = () => gates.enter('mail');
  return {
    time,
    changes,
    enter,
    wait: (fraction = 0) => {
      const view = gates.view('mail', fraction);
      return view.kind === 'open' ? 0 : view.waitMs;
    },
    why: () => {
      const view = gates.view('mail', 0);
      return view.kind === 'open' ? null : view.why;
    },
    open: () => gates.open('mail'),
    state: () => gates.state('mail'),
    fail: (outcome: CallOutcome = UNAUTHORISED) => enter().record(outcome),
  };
}

test('a gate is open until the provider says that nobody may call', () => {
  const gate = aGate();
  gate.fail({ kind: 'transient', providerCode: '503' });
  gate.fail(limited(60_000, 'message'));
  gate.fail(ACCEPTED);
  expect(gate.wait()).toBe(0);
  expect(gate.changes).toEqual([]);
});

test('wrong credentials close it for everybody, for half a minute at first', async () => {
  const gate = aGate();
  gate.fail();
  expect(gate.wait()).toBe(30_000);
  await gate.time.advance(29_999);
  expect(gate.wait()).toBe(1);
  await gate.time.advance(1);
  expect(gate.wait()).toBe(0);
});

test('an account-wide limit closes it for the time that the provider names', () => {
  const gate = aGate();
  gate.fail(limited(90_000));
  expect(gate.wait()).toBe(90_000);
});

test('those who are sent away come back at different times, never before the gate opens', () => {
  const gate = aGate();
  gate.fail(limited(100_000));
  expect(gate.wait(0)).toBe(100_000);
  expect(gate.wait(0.5)).toBe(112_500);
  gate.fail(limited(400_000));
  expect(gate.wait(0.999)).toBeGreaterThan(499_000);
});

test('when its time is over one probe goes through and nobody else', async () => {
  const gate = aGate();
  gate.fail();
  await gate.time.advance(30_000);
  expect(gate.wait()).toBe(0);
  gate.enter();
  expect(gate.state()).toBe('half-open');
  expect(gate.wait()).toBeGreaterThan(0);
});

test('an answer of the probe opens it, and the next fault starts from half a minute again', async () => {
  const gate = aGate();
  gate.fail();
  await gate.time.advance(30_000);
  gate.enter().record({ kind: 'transient', providerCode: '503' });
  expect(gate.state()).toBe('open');
  gate.fail();
  expect(gate.wait()).toBe(30_000);
  expect(gate.changes).toEqual(['closed', 'half-open', 'open', 'closed']);
});

test('a probe that meets the same fault closes it twice as long, a quarter of an hour at most', async () => {
  const gate = aGate();
  gate.fail();
  const waits: number[] = [];
  for (let probe = 0; probe < 7; probe += 1) {
    await gate.time.advance(gate.wait());
    gate.fail();
    waits.push(gate.wait());
  }
  expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000]);
});

test('answers of calls from before the closing are no further strikes and do not open it', async () => {
  const gate = aGate();
  const early = [gate.enter(), gate.enter(), gate.enter()];
  gate.fail();
  early[0]?.record(UNAUTHORISED);
  early[1]?.record(ACCEPTED);
  expect(gate.wait()).toBe(30_000);
  await gate.time.advance(30_000);
  const probe = gate.enter();
  early[2]?.record(ACCEPTED);
  expect(gate.state()).toBe('half-open');
  probe.record(UNAUTHORISED);
  expect(gate.wait()).toBe(60_000);
});

test('a longer time that the provider names to a call from before the closing counts', () => {
  const gate = aGate();
  const early = [gate.enter(), gate.enter()];
  gate.fail(limited(60_000));
  early[0]?.record(limited(90_000));
  expect(gate.wait()).toBe(90_000);
  early[1]?.record(limited(10_000));
  expect(gate.wait()).toBe(90_000);
});

test('a probe whose claim came to nothing leaves its place to the next', async () => {
  const gate = aGate();
  gate.fail();
  await gate.time.advance(30_000);
  const probe = gate.enter();
  probe.leave();
  expect(gate.wait()).toBe(0);
  expect(gate.state()).toBe('closed');
  gate.enter();
  probe.leave();
  expect(gate.state()).toBe('half-open');
});

test('a call from before the closing that comes to nothing frees no probe’s place', async () => {
  const gate = aGate();
  const early = gate.enter();
  gate.fail();
  await gate.time.advance(30_000);
  gate.enter();
  early.leave();
  expect(gate.wait()).toBeGreaterThan(0);
});

test('a probe that never answers gives way to another after a minute, and its late word no longer counts', async () => {
  const gate = aGate();
  gate.fail();
  await gate.time.advance(30_000);
  const lost = gate.enter();
  await gate.time.advance(59_999);
  expect(gate.wait()).toBeGreaterThan(0);
  await gate.time.advance(1);
  expect(gate.wait()).toBe(0);
  const second = gate.enter();
  lost.record(ACCEPTED);
  expect(gate.state()).toBe('half-open');
  second.record(ACCEPTED);
  expect(gate.state()).toBe('open');
});

describe('too many failures', () => {
  const FAILS: CallOutcome = { kind: 'transient', providerCode: '503' };
  const LOST: CallOutcome = { kind: 'unknown', phase: 'sent', providerCode: 'timeout' };
  const failing = (gate: ReturnType<typeof aGate>) => {
    for (let call = 0; call < BREAKER.minCalls; call += 1) gate.fail(call % 2 === 0 ? FAILS : LOST);
  };

  test('close it for five seconds, however they failed, and one probe is let through', async () => {
    const gate = aGate();
    for (let call = 1; call < BREAKER.minCalls; call += 1) gate.fail(FAILS);
    expect(gate.wait()).toBe(0);
    gate.fail(LOST);
    expect(gate.wait()).toBe(5_000);
    await gate.time.advance(5_000);
    gate.enter();
    expect(gate.state()).toBe('half-open');
    expect(gate.wait()).toBeGreaterThan(0);
  });

  test('a probe that fails as well closes it twice as long, ten seconds at most', async () => {
    const gate = aGate();
    failing(gate);
    const waits: number[] = [];
    for (let probe = 0; probe < 7; probe += 1) {
      await gate.time.advance(gate.wait());
      gate.fail(probe % 2 === 0 ? FAILS : LOST);
      waits.push(gate.wait());
    }
    expect(waits).toEqual(Array.from({ length: 7 }, () => 10_000));
  });

  test('any answer about the notification opens it, a refusal too, and the count begins anew', async () => {
    const gate = aGate();
    failing(gate);
    await gate.time.advance(5_000);
    gate.fail({ kind: 'refused', code: 'NTF_PROVIDER_INVALID_RECIPIENT', providerCode: '550' });
    expect(gate.state()).toBe('open');
    for (let call = 1; call < BREAKER.minCalls; call += 1) gate.fail(FAILS);
    expect(gate.state()).toBe('open');
    gate.fail(FAILS);
    expect(gate.wait()).toBe(5_000);
  });

  test('calls from before the opening do not count against it', async () => {
    const gate = aGate();
    const early = Array.from({ length: 20 }, gate.enter);
    failing(gate);
    for (const call of early.slice(0, 10)) call.record(LOST);
    await gate.time.advance(10_000);
    gate.fail(ACCEPTED);
    for (const call of early.slice(10)) call.record(LOST);
    expect(gate.state()).toBe('open');
  });

  test('a person opens it whatever was counted', () => {
    const gate = aGate();
    failing(gate);
    gate.open();
    expect(gate.wait()).toBe(0);
    for (let call = 1; call < BREAKER.minCalls; call += 1) gate.fail(FAILS);
    expect(gate.state()).toBe('open');
    expect(gate.changes).toEqual(['closed', 'open']);
  });

  test('says why it is closed', async () => {
    const gate = aGate();
    expect(gate.why()).toBeNull();
    failing(gate);
    expect(gate.why()).toBe('failing');
    await gate.time.advance(10_000);
    gate.enter().record(limited(60_000));
    expect(gate.why()).toBe('rate-limited');
    await gate.time.advance(60_000);
    gate.enter();
    expect(gate.why()).toBe('probe');
  });
});
