import { describe, expect, it } from 'vitest';
import { confirmed } from '../../../src/app/confirm.ts';
import { anEnvironment } from './an-environment.ts';

describe('confirmed', () => {
  it('asks on a terminal and takes only a yes', async () => {
    for (const [answer, expected] of [
      ['y\n', true],
      ['Yes\n', true],
      ['n\n', false],
      ['\n', false],
      ['', false],
    ] as const) {
      const environment = anEnvironment({ stdin: answer, isTerminal: true });
      expect([answer, await confirmed(environment, 'Change 2 topics?', false)]).toEqual([answer, expected]);
      expect(environment.err()).toBe('Change 2 topics? [y/N] ');
    }
  });

  it('asks nobody with --yes, or where nobody is', async () => {
    expect(await confirmed(anEnvironment({ isTerminal: true }), 'Sure?', true)).toBe(true);
    const script = anEnvironment();
    expect(await confirmed(script, 'Sure?', false)).toBe(true);
    expect(script.err()).toBe('');
  });
});
