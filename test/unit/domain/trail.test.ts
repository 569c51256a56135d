import { describe, expect, test } from 'vitest';
import {
  appendTrail,
  lastEntry,
  MAX_TRAIL_CHARS,
  MAX_TRAIL_CODE_CHARS,
  parseTrail,
  trailCode,
} from '../../../src/domain/trail.ts';

describe('trailCode', () => {
  test('names the rule and its facts, without those that are absent', () => {
    expect(trailCode('transient', { n: 1, code: 'NTF_PROVIDER_TRANSIENT', said: null })).toBe(
      'transient n=1 code=NTF_PROVIDER_TRANSIENT',
    );
    expect(trailCode('held')).toBe('held');
  });

  test('holds nothing that could break a line or a word', () => {
    expect(trailCode('accepted', { message: 'a b\nc\0ü' })).toBe('accepted message=a_b_c__');
  });

  test('leaves out a fact that does not fit, and keeps a later one that does', () => {
    const code = trailCode('rate-limited', { said: 'x'.repeat(MAX_TRAIL_CODE_CHARS - 10), wait: 60_000 });
    expect(code).toBe('rate-limited wait=60000');
  });

  test('is never longer than its limit', () => {
    expect(trailCode('r'.repeat(200)).length).toBe(MAX_TRAIL_CODE_CHARS);
  });
});

describe('appendTrail', () => {
  test('adds one line with its time', () => {
    expect(appendTrail('1 claimed\n', 'accepted n=1', 2)).toBe('1 claimed\n2 accepted n=1\n');
  });

  test('drops the oldest whole lines beyond the limit', () => {
    let trail = '';
    for (let line = 1; line <= 300; line += 1) trail = appendTrail(trail, 'transient n=1', line);

    expect(trail.length).toBeLessThanOrEqual(MAX_TRAIL_CHARS);
    expect(trail.endsWith('300 transient n=1\n')).toBe(true);
    expect(trail).toMatch(/^(\d+ transient n=1\n)+$/);
  });

  test('keeps what just fits', () => {
    const full = `${'x'.repeat(MAX_TRAIL_CHARS - '1 held\n'.length - 1)}\n`;
    expect(appendTrail(full, 'held', 1)).toBe(`${full}1 held\n`);
  });
});

describe('parseTrail', () => {
  test('reads back what was appended', () => {
    const trail = appendTrail('', trailCode('accepted', { n: 2, message: 'abc==' }), 1_700_000_000_000);
    expect(parseTrail(trail)).toEqual([
      { atMs: 1_700_000_000_000, rule: 'accepted', facts: { n: '2', message: 'abc==' } },
    ]);
  });

  test('an empty trail has no entries', () => {
    expect(parseTrail('')).toEqual([]);
  });
});

describe('lastEntry', () => {
  test('is the newest of all', () => {
    const trail = appendTrail(appendTrail('', 'claimed n=1', 5), 'accepted n=1 message=abc==', 7);
    expect(lastEntry(trail)).toEqual(parseTrail(trail).at(-1));
    expect(lastEntry(trail)?.facts).toEqual({ n: '1', message: 'abc==' });
  });

  test('an empty trail has none', () => {
    expect(lastEntry('')).toBeNull();
  });
});
