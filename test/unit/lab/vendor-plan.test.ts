import { describe, expect, test } from 'vitest';
import { fractionOf, vendorPlan } from '../../../src/lab/vendor-plan.ts';
import { aCall, anId } from '../providers/a-call.ts';

const HANG = { kind: 'hang' } as const;
const BUSY = { kind: 'error', status: 503, code: 'busy', retriable: true } as const;

describe('vendorPlan', () => {
  test('the plan of a reference comes first, once per call, then the rule, then the shares, then faithfulness', () => {
    const plan = vendorPlan(1);
    plan.add(anId(), [HANG]);
    plan.setRule((call) => (call.attempt === 2 ? BUSY : null));
    plan.setShares([{ attempt: 3, answer: HANG }]);

    const kinds = [1, 2, 3, 4].map(
      (attempt) => plan.take(aCall({ attempt: attempt === 1 ? 2 : attempt })).kind,
    );

    expect(kinds).toEqual(['hang', 'error', 'hang', 'accept']);
  });

  test('a rule by share hits that share of calls, the same ones in any order', () => {
    const plan = vendorPlan(7);
    plan.setShares([{ share: 0.2, answer: HANG }]);
    const calls = Array.from({ length: 5_000 }, (_, n) => aCall({ reference: anId(n) }));
    const hits = (order: readonly (typeof calls)[number][]) =>
      new Set(order.filter((call) => plan.take(call).kind === 'hang').map((call) => call.reference));

    const first = hits(calls);

    expect(first.size).toBeGreaterThan(900);
    expect(first.size).toBeLessThan(1_100);
    expect(hits([...calls].reverse())).toEqual(first);
  });

  test('another seed hits others', () => {
    const texts = Array.from({ length: 200 }, (_, n) => n);
    const below = (seed: number) => texts.filter((n) => fractionOf(`${seed}:${n}`) < 0.5);

    expect(below(1)).not.toEqual(below(2));
  });

  test('a rule looks at channel and recipient', () => {
    const plan = vendorPlan(1);
    plan.setShares([{ channel: 'sms', recipientContains: '+7', answer: HANG }]);

    expect(plan.take(aCall({ channel: 'sms', recipient: '+79990000000' })).kind).toBe('hang');
    expect(plan.take(aCall({ channel: 'sms', recipient: '+1' })).kind).toBe('accept');
    expect(plan.take(aCall({ recipient: '+7' })).kind).toBe('accept');
  });
});
