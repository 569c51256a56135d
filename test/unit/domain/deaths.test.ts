import { describe, expect, test } from 'vitest';
import { mayHaveKilled, sayGoodbye, survive, type TaskLife, takeOver } from '../../../src/domain/deaths.ts';
import { invariant } from '../../../src/runtime/fault.ts';

const begin = (before: TaskLife | null, life: string) =>
  takeOver(before, { life, processId: `process of ${life}`, nowMs: 1_000 });

/** `life` wrote down `inFlight`, or was alone with `alone`, and died; the next one begins. */
function died(row: TaskLife, next: string, left: { inFlight?: readonly string[]; alone?: string } = {}) {
  return begin({ ...row, inFlight: left.inFlight ?? [], alone: left.alone ?? null }, next);
}

function saidGoodbye(row: TaskLife, life: string): TaskLife {
  const next = sayGoodbye(row, life);
  invariant(next !== null, `${life} has something to say`);
  return next;
}

describe('the lives of a task', () => {
  test('begin calm, and stay calm from goodbye to goodbye', () => {
    const first = begin(null, 'a');
    expect(first).toMatchObject({ version: 1, deaths: 0, isLiving: true, suspects: [], deadly: [] });
    const second = begin(saidGoodbye(first, 'a'), 'b');
    expect(second).toMatchObject({ version: 3, deaths: 0, mourned: null, processId: 'process of b' });
  });

  test('know of one death, and suspect nobody yet', () => {
    expect(died(begin(null, 'a'), 'b', { inFlight: ['x'] })).toMatchObject({ deaths: 1, suspects: [] });
  });

  test('suspect after two deaths what was written down at the second', () => {
    const third = died(died(begin(null, 'a'), 'b'), 'c', { inFlight: ['x', 'y'] });
    expect(third).toMatchObject({ deaths: 2, suspects: ['x', 'y'], deadly: [], inFlight: [] });
  });

  test('find guilty at the third death only what was alone, and go on suspecting the others', () => {
    const third = died(died(begin(null, 'a'), 'b'), 'c', { inFlight: ['x', 'y'] });
    expect(died(third, 'd', { alone: 'x' })).toMatchObject({ deadly: ['x'], suspects: ['y'] });
    expect(died(third, 'd', { inFlight: ['x'] })).toMatchObject({ deadly: [], suspects: ['x', 'y'] });
  });

  test('find nobody guilty before the third death', () => {
    expect(died(died(begin(null, 'a'), 'b'), 'c', { alone: 'x' })).toMatchObject({ deaths: 2, deadly: [] });
  });

  test('take a death back, with its verdict, when the goodbye was only late', () => {
    const third = died(died(begin(null, 'a'), 'b'), 'c', { inFlight: ['x'] });
    const wrong = died(third, 'd', { alone: 'x' });
    expect(saidGoodbye(wrong, 'c')).toMatchObject({ life: 'd', deaths: 2, deadly: [], isLiving: true });
    expect(saidGoodbye(died(begin(null, 'a'), 'b'), 'a')).toMatchObject({
      life: 'b',
      deaths: 0,
      suspects: [],
    });
  });

  test('take back one death of several, and only the verdict that came with it', () => {
    const third = died(died(begin(null, 'a'), 'b'), 'c', { inFlight: ['x', 'y', 'z'] });
    const fourth = died(third, 'd', { alone: 'x' });
    const fifth = died(fourth, 'e', { alone: 'y' });
    expect(fifth).toMatchObject({ deaths: 4, deadly: ['x', 'y'], suspects: ['z'] });
    expect(saidGoodbye(fifth, 'd')).toMatchObject({ deaths: 3, deadly: ['x'], suspects: ['z'] });
    expect(saidGoodbye(third, 'b')).toMatchObject({ deaths: 1, suspects: [] });
  });

  test('have no word from a life that was never theirs, or spoke before', () => {
    const second = died(begin(null, 'a'), 'b');
    expect(sayGoodbye(second, 'z')).toBeNull();
    expect(sayGoodbye(saidGoodbye(second, 'a'), 'a')).toBeNull();
    expect(sayGoodbye(saidGoodbye(second, 'b'), 'b')).toBeNull();
  });

  test('keep what was counted over a clean end, and forget it when one lasts, but for the deadly', () => {
    const third = died(died(begin(null, 'a'), 'b'), 'c', { inFlight: ['x', 'y'] });
    const after = begin(saidGoodbye(died(third, 'd', { alone: 'x' }), 'd'), 'e');
    expect(after).toMatchObject({ deaths: 3, suspects: ['y'], deadly: ['x'] });
    expect(survive(after)).toMatchObject({
      deaths: 0,
      suspects: [],
      deadly: ['x'],
      version: after.version + 1,
    });
    expect(survive({ ...after, inFlight: ['z'] })).toMatchObject({ inFlight: [], alone: null });
  });

  test('remember the latest of the deadly', () => {
    const deadly = Array.from({ length: 5_000 }, (_, n) => `lane-${n}`);
    const row: TaskLife = { ...begin(null, 'a'), deaths: 2, deadly };
    const kept = died(row, 'b', { alone: 'latest' }).deadly;
    expect(kept.length).toBeLessThan(5_000);
    expect(kept.at(-1)).toBe('latest');
  });

  test('are bounded, however many are suspected', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `lane-${n}`);
    expect(died(died(begin(null, 'a'), 'b'), 'c', { inFlight: many }).suspects).toHaveLength(2_000);
  });

  test('blame no record that came after they began', () => {
    const row = begin(null, 'a');
    expect(mayHaveKilled(row, { timestampMs: 1_000 })).toBe(true);
    expect(mayHaveKilled(row, { timestampMs: 1_000 + 5_000 })).toBe(true);
    expect(mayHaveKilled(row, { timestampMs: 1_000 + 5_001 })).toBe(false);
  });
});
