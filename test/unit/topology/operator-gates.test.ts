import { expect, test } from 'vitest';
import type { OperatorGate } from '../../../src/domain/operator-gate.ts';
import { operatorGates } from '../../../src/topology/operator-gates.ts';

function someGates() {
  let nowMs = 1_000_000;
  const said = new Map<string, OperatorGate>();
  const told: string[] = [];
  const gates = operatorGates({
    storeClock: { nowMs: () => nowMs },
    said,
    onChange: (provider, isClosed) => told.push(`${provider} ${isClosed ? 'closed' : 'no longer closed'}`),
    onOpened: (provider) => told.push(`${provider} opened`),
  });
  let change = 0;
  const say = (state: OperatorGate['state'], untilMs: number | null = null) => {
    change += 1;
    said.set('mail', {
      ...{ providerKey: 'mail', state, untilMs, reason: 'storm', by: 'ada' },
      ...{ changedAtMs: nowMs, change },
    });
  };
  return { gates, say, told, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

test('a closing counts from the moment this process has heard of it', () => {
  const { gates, say, told } = someGates();
  say('closed');
  expect(gates.view('mail', 0)).toBeNull();
  gates.follow();
  expect(gates.view('mail', 0)).toEqual({ kind: 'closed', waitMs: 10_000, why: 'operator' });
  expect(gates.view('sms', 0)).toBeNull();
  gates.follow();
  expect(told).toEqual(['mail closed']);
});

test('a closing ends when its end was seen, not a moment before', () => {
  const { gates, say, told, pass, now } = someGates();
  say('closed', now() + 60_000);
  gates.follow();
  pass(60_000);
  expect(gates.view('mail', 0)).toMatchObject({ kind: 'closed', waitMs: 0 });
  gates.follow();
  expect(gates.view('mail', 0)).toBeNull();
  expect(told).toEqual(['mail closed', 'mail no longer closed']);
});

test('each word opens once, also for a process that has closed the gate by itself', () => {
  const { gates, say, told } = someGates();
  say('open');
  gates.follow();
  gates.follow();
  say('closed');
  gates.follow();
  say('open');
  gates.follow();
  gates.follow();
  expect(told).toEqual(['mail opened', 'mail closed', 'mail no longer closed', 'mail opened']);
});
