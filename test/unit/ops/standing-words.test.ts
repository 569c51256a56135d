import { describe, expect, it } from 'vitest';
import { type Hold, holdOf } from '../../../src/domain/hold.ts';
import { appendTrail, parseTrail } from '../../../src/domain/trail.ts';
import { explainTimeline } from '../../../src/ops/explain-timeline.ts';
import { resumeCommand, type Standing } from '../../../src/ops/standing-words.ts';
import { entryWords } from '../../../src/ops/timeline-words.ts';
import { aRow, START_MS } from './a-row.ts';

const TENANT: Hold = 'paused tenant:acme';
const STANDING: Standing = {
  pauses: [{ key: 'tenant:acme', reason: 'wrong prices', by: 'ada', sinceMs: START_MS }],
  gates: [
    {
      ...{ providerKey: 'mail', state: 'closed', untilMs: START_MS + 600_000, reason: 'their incident' },
      ...{ by: 'bob', changedAtMs: START_MS, change: 1 },
    },
  ],
};

const nextOf = (row: Parameters<typeof aRow>[0], standing: Standing = null) =>
  explainTimeline(aRow(row), START_MS + 10_000, standing).next.words;

describe('what comes next for a paused notification', () => {
  const paused = { hold: TENANT, wakeAtMs: null };

  it('names who paused it, since when, why, and the command that ends it', () => {
    expect(nextOf(paused, STANDING)).toBe(
      'Held because an operator paused the tenant acme (ada, since 2027-01-15T08:00:00.000Z: wrong prices); it goes on after `pin resume --tenant acme`.',
    );
  });

  it('says so when the pause has ended and it only waits for its turn', () => {
    expect(nextOf(paused, { pauses: [], gates: [] })).toBe(
      "Held because an operator paused the tenant acme; that has ended, and it is released at its channel's pace.",
    );
  });

  it('claims nothing about who and why where nobody asked', () => {
    expect(nextOf({ ...paused, wakeAtMs: START_MS + 30_000 })).toBe(
      'Held because an operator paused the tenant acme; it goes on after `pin resume --tenant acme`, or its time is over at 2027-01-15T08:00:30.000Z.',
    );
  });

  it.each([
    ['channel:sms', 'pin resume --channel sms'],
    ['tenant-none', 'pin resume --tenant-none'],
    ['template:welcome', 'pin resume --template welcome'],
  ] as const)('knows the command for %s', (key, command) => {
    expect(resumeCommand(key)).toBe(command);
    expect(nextOf({ ...paused, hold: holdOf('paused', key) })).toContain(command);
  });
});

describe('what comes next at a closed gate', () => {
  const trail = appendTrail('', 'gate-closed provider=mail why=operator wait=20000', START_MS);

  it('names the operator who closed it, until when and why', () => {
    expect(nextOf({ trail, wakeAtMs: START_MS + 30_000 }, STANDING)).toBe(
      'Attempt 1 waits for the gate of mail (bob closed it until 2027-01-15T08:10:00.000Z: their incident); it looks again at 2027-01-15T08:00:30.000Z (in 20 s).',
    );
  });

  it('names nobody when no operator keeps it closed', () => {
    expect(nextOf({ trail, wakeAtMs: START_MS + 30_000 })).toBe(
      'Attempt 1 waits for the gate of mail; it looks again at 2027-01-15T08:00:30.000Z (in 20 s).',
    );
  });
});

describe('the timeline of what waited', () => {
  const words = (line: string) => parseTrail(`${START_MS} ${line}\n`).map(entryWords).join();

  it.each([
    ['held reason=paused pause=channel:sms', 'Held: an operator paused the channel sms. No attempt is used.'],
    [
      'held reason=paused pause=tenant-none',
      'Held: an operator paused the notifications of the platform itself. No attempt is used.',
    ],
    ['held reason=paused', 'Held: it was paused. No attempt is used.'],
    [
      'gate-closed provider=mail why=operator wait=20000',
      'An operator closed the gate of mail; waits 20 s. No attempt is used.',
    ],
    [
      'gate-closed provider=mail why=failing wait=20000',
      'The gate of mail is closed for everybody: it fails for nearly everybody; waits 20 s. No attempt is used.',
    ],
    [
      'gate-closed provider=mail why=probe wait=5000',
      'One call is trying whether mail works again; waits 5 s. No attempt is used.',
    ],
    [
      'gate-closed wait=20000',
      'The gate of its provider is closed for everybody; waits 20 s. No attempt is used.',
    ],
  ])('%s', (line, sentence) => {
    expect(words(line)).toBe(sentence);
  });
});
