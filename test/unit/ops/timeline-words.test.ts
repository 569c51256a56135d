import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMAND_KINDS } from '../../../src/domain/notification-command.ts';
import { parseTrail } from '../../../src/domain/trail.ts';
import { entryWords, hasSentence } from '../../../src/ops/timeline-words.ts';

const SOURCE = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Rules that a variable or a field of it names, with what it can be. A variable that is not listed here fails the test below. */
const BY_VARIABLE: Readonly<Record<string, readonly string[]>> = {
  errorClass: [
    'transient',
    'rate-limited',
    'unknown',
    'refused',
    'blocked',
    'misconfigured',
    'not-implemented',
    'expired',
    'cancelled',
  ],
  how: ['accepted', 'late-accepted', 'looked-up'],
  '`command-${kind}`': COMMAND_KINDS.map((kind) => `command-${kind}`),
};

/** What every call of trailCode in the rooms that decide passes as its rule. */
function rulesInSource(): { literal: string[]; variable: string[] } {
  const files = ['domain', 'topology'].flatMap((room) =>
    readdirSync(`${SOURCE}${room}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'trail.ts')
      .map((name) => readFileSync(`${SOURCE}${room}/${name}`, 'utf8')),
  );
  const text = files.join('\n');
  const calls = [...text.matchAll(/\btrailCode\(\s*([^,)]+)/g)].map((match) => match[1]?.trim() ?? '');
  const plain = [...text.matchAll(/\btrail: ('[^']*')/g)].map((match) => match[1] ?? '');
  const all = [...calls, ...plain];
  return {
    literal: all.filter((word) => word.startsWith("'")).map((word) => word.slice(1, -1)),
    variable: all.filter((word) => !word.startsWith("'")).map((word) => word.split('.').at(-1) ?? word),
  };
}

function words(line: string): string {
  const [entry] = parseTrail(`1800000000000 ${line}\n`);
  return entry === undefined ? '' : entryWords(entry);
}

describe('the words of the timeline', () => {
  const rules = rulesInSource();

  it('find the rules in the source', () => {
    expect(rules.literal.length).toBeGreaterThan(10);
    expect(rules.literal).toContain('claimed');
  });

  it('have a sentence for every rule that the source writes', () => {
    const unnamed = rules.variable.filter((name) => BY_VARIABLE[name] === undefined);
    expect(unnamed, 'list what this variable can be in BY_VARIABLE').toEqual([]);
    const written = [...rules.literal, ...rules.variable.flatMap((name) => BY_VARIABLE[name] ?? [])];
    expect(written.filter((rule) => !hasSentence(rule))).toEqual([]);
  });

  it.each([
    ['claimed n=1 provider=mail', 'Claimed attempt 1 for mail.'],
    [
      'claimed n=2 provider=mail resend=1',
      'Claimed attempt 2 for mail, though the one before may have arrived.',
    ],
    [
      'transient n=1 code=NTF_PROVIDER_TRANSIENT said=503 wait=30000',
      'Attempt 1 failed for a passing reason (NTF_PROVIDER_TRANSIENT, the provider said 503); the next attempt waits 30 s.',
    ],
    ['accepted n=2 message=m-1', 'The provider accepted attempt 2 as m-1.'],
    [
      'exhausted n=5 code=NTF_PROVIDER_TRANSIENT',
      'Attempt 5 was the last of the budget (NTF_PROVIDER_TRANSIENT): ended.',
    ],
    ['held reason=channel-disabled', 'Held: the channel is switched off. No attempt is used.'],
    [
      'unknown n=1 next=look-up wait=90000',
      'Nobody knows whether attempt 1 was accepted: the provider is asked by our reference; waits 1 m 30 s.',
    ],
    [
      'unknown n=1 code=NTF_PROVIDER_TRANSIENT wait=30000',
      'Attempt 1 never reached the provider (NTF_PROVIDER_TRANSIENT); the next attempt waits 30 s.',
    ],
    [
      'reopened cycle=1 code=NTF_PROVIDER_TRANSIENT said=bounce message=m-1',
      'The provider reported m-1 as failed for a passing reason (NTF_PROVIDER_TRANSIENT, the provider said bounce): reopened as cycle 1.',
    ],
    ['webhook verdict=delivered message=m-1', 'The provider reported m-1 as delivered.'],
    [
      'webhook verdict=failed message=m-2 next=m-1',
      'The provider reported m-2 as failed; m-1 stands and is the current message.',
    ],
    [
      'command-redrive result=refused-unknown by=ada',
      'ada asked to redrive: refused, because it may have arrived.',
    ],
    ['command-redrive result=done by=ada force=1', 'ada asked to redrive by force: done.'],
    ['cancelled by=ada', 'Cancelled, as ada had asked.'],
    ['expired', 'Its time was over (notAfter): ended.'],
  ])('tell %j', (line, sentence) => {
    expect(words(line)).toBe(sentence);
  });

  it('show a rule that they do not know as it was written', () => {
    expect(words('toString a=1')).toBe('toString a=1');
    expect(words('new-rule n=1 code=X')).toBe('new-rule n=1 code=X');
  });
});
