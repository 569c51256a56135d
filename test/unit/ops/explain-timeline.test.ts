import { describe, expect, it } from 'vitest';
import { appendTrail } from '../../../src/domain/trail.ts';
import { explainTimeline } from '../../../src/ops/explain-timeline.ts';
import { aRow, START_MS } from './a-row.ts';

const unknown = { attempt: 1, providerKey: 'mail', sinceMs: START_MS } as const;
const inTenSeconds = START_MS + 10_000;

describe('explainTimeline', () => {
  it('tells every decision in order, with the rule that fired', () => {
    const claimed = appendTrail('', 'claimed n=1 provider=mail', START_MS + 10);
    const trail = appendTrail(claimed, 'transient n=1 code=NTF_PROVIDER_TRANSIENT wait=30000', START_MS + 90);
    const row = aRow({ status: 'Failed', attempts: 1, trail, deliveredAtMs: START_MS + 50 });
    const { lines, isCut } = explainTimeline(row, START_MS + 100);
    expect(lines.map((line) => [line.atMs - START_MS, line.rule])).toEqual([
      [0, null],
      [5, null],
      [10, 'claimed'],
      [50, null],
      [90, 'transient'],
    ]);
    expect(isCut).toBe(false);
  });

  it('says when the row has forgotten its oldest decisions', () => {
    let trail = '';
    for (let n = 1; n <= 100; n += 1)
      trail = appendTrail(trail, `claimed n=${n} provider=mail`, START_MS + n);
    expect(explainTimeline(aRow({ trail }), START_MS).isCut).toBe(true);
  });

  it.each([
    ['a retry', aRow({ attempts: 1 }), 'Attempt 2 starts at 2027-01-15T08:00:30.000Z (in 20 s).'],
    ['a late retry', aRow({ attempts: 1, wakeAtMs: START_MS }), 'Attempt 2 starts now: it is 10 s late.'],
    [
      'a long wait that rests in the table',
      aRow({ wakeInLog: false, wakeAtMs: START_MS + 86_410_000 }),
      'Attempt 1 starts at 2027-01-16T08:00:10.000Z (in 1 d); the sweeper wakes it.',
    ],
    [
      'a call in flight',
      aRow({ attempts: 1, claim: { token: 't', attempt: 1, providerKey: 'mail', takeovers: 0 } }),
      'Attempt 1 is with mail; without an answer it counts as unknown at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'an outcome that is owed',
      aRow({ final: 'accepted', outcomeSeq: 1, publishedSeq: 0 }),
      'Outcome 1 is decided and its acknowledgement is not recorded yet; without one it is published again at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'the end',
      aRow({ final: 'refused', outcomeSeq: 1, publishedSeq: 1, wakeAtMs: null }),
      'Nothing: it is final (refused); outcome 1 is on the topic.',
    ],
    [
      'a hold',
      aRow({ hold: 'channel-disabled', wakeAtMs: null }),
      'Held because the channel is switched off; it goes on when that ends.',
    ],
    [
      'a hold that can expire',
      aRow({ hold: 'channel-stub' }),
      'Held because the provider of the channel is a stub; it goes on when that ends, or its time is over at 2027-01-15T08:00:30.000Z.',
    ],
    [
      'nothing but notAfter',
      aRow({ notAfterMs: START_MS + 30_000 }),
      'Nothing before its time is over (notAfter): it ends at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'a doubt that only a webhook can end',
      aRow({ unknown: { ...unknown, resolution: 'held' } }),
      'Waits for a webhook about attempt 1; without one it ends as NTF_OUTCOME_UNKNOWN at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'a doubt that the provider can end',
      aRow({ unknown: { ...unknown, resolution: 'look-up' } }),
      'mail is asked about attempt 1 at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'a safe repeat',
      aRow({ unknown: { ...unknown, resolution: 'retry' } }),
      'The call is repeated with the same key at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
    [
      'an unsafe repeat',
      aRow({ unknown: { ...unknown, resolution: 'resend' } }),
      'It is sent again, although attempt 1 may have arrived at 2027-01-15T08:00:30.000Z (in 20 s).',
    ],
  ])('tells what comes next for %s', (_, row, sentence) => {
    expect(explainTimeline(row, inTenSeconds).next.words).toBe(sentence);
  });
});
