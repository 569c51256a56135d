import { expect, test } from 'vitest';
import { isClosedAt, type OperatorGate, operatorGateWaitMs } from '../../../src/domain/operator-gate.ts';
import { NOW_MS } from '../../support/a-notification.ts';

const MINUTE_MS = 60_000;

function aGate(over: Partial<OperatorGate> = {}): OperatorGate {
  return {
    ...{ providerKey: 'mail', state: 'closed', untilMs: null, reason: 'storm', by: 'ada' },
    ...{ changedAtMs: NOW_MS, change: 1 },
    ...over,
  };
}

test('a gate is closed until its time, or until it is opened', () => {
  expect(isClosedAt(aGate(), NOW_MS + 9e9)).toBe(true);
  expect(isClosedAt(aGate({ untilMs: NOW_MS + 1 }), NOW_MS)).toBe(true);
  expect(isClosedAt(aGate({ untilMs: NOW_MS }), NOW_MS)).toBe(false);
  expect(isClosedAt(aGate({ state: 'open' }), NOW_MS)).toBe(false);
});

test('each wait is as long as the gate has been closed, from 10 s to a quarter of an hour', () => {
  const waits = [0, 5_000, MINUTE_MS, 10 * MINUTE_MS, 20 * MINUTE_MS].map((ageMs) =>
    operatorGateWaitMs(aGate({ changedAtMs: NOW_MS - ageMs }), NOW_MS, 0),
  );
  expect(waits).toEqual([10_000, 10_000, MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS]);
});

test('a row that waits for hours looks a few times an hour', () => {
  let looks = 0;
  for (let atMs = NOW_MS; atMs < NOW_MS + 240 * MINUTE_MS; looks += 1)
    atMs += operatorGateWaitMs(aGate(), atMs, 0.5);
  expect(looks).toBeLessThan(25);
});

test('nobody waits longer than the closing lasts, but for the spread', () => {
  const gate = aGate({ changedAtMs: NOW_MS - 60 * MINUTE_MS, untilMs: NOW_MS + 100_000 });
  expect(operatorGateWaitMs(gate, NOW_MS, 0)).toBe(100_000);
  expect(operatorGateWaitMs(gate, NOW_MS, 0.5)).toBe(112_500);
  expect(operatorGateWaitMs({ ...gate, untilMs: NOW_MS - 5 }, NOW_MS, 0)).toBe(0);
  expect(operatorGateWaitMs({ ...gate, untilMs: NOW_MS - 5 }, NOW_MS, 0.5)).toBe(500);
});
