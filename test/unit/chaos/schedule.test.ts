import { describe, expect, it } from 'vitest';
import { OUTAGES, scheduleOf, stepWords } from '../../chaos/schedule.ts';

const size = { processes: 2, steps: 400 };

describe('a chaos schedule', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(scheduleOf('7', size)).toEqual(scheduleOf('7', size));
    expect(scheduleOf('8', size)).not.toEqual(scheduleOf('7', size));
    expect(scheduleOf('7', { ...size, steps: 10 }).drawn).toEqual(scheduleOf('7', size).drawn.slice(0, 10));
  });

  it('has every outage once, and draws every kind of step', () => {
    const { outages, drawn } = scheduleOf('7', size);
    expect(outages.map(({ outage }) => outage).toSorted()).toEqual([...OUTAGES].sort());
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(
      new Set(['kill', 'stop', 'freeze', 'extra', 'config', 'outage']),
    );
    const again = drawn.flatMap((step) => (step.kind === 'outage' ? [step.outage] : []));
    expect(new Set(again)).toEqual(new Set(OUTAGES));
  });

  it('names only processes that there are, and can be read', () => {
    const { drawn } = scheduleOf('7', size);
    const named = drawn.flatMap((step) => (step.kind === 'outage' ? [] : [step.who]));
    expect(new Set(named)).toEqual(new Set([0, 1]));
    for (const step of drawn) expect(stepWords(step)).toMatch(/^\d\.\d s \w/);
  });
});
