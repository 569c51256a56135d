import { expect, test } from 'vitest';
import { steadyLoop } from '../../../src/relay/steady-loop.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import type { LogFields } from '../../../src/runtime/logger.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import type { Timers } from '../../../src/runtime/timers.ts';

const away = new Fault('STATE_UNAVAILABLE', 'no server', { retriable: true });

/** Runs `steps` one after another, then stops. Waits end at once and are noted. */
async function looped(steps: readonly (() => void)[]) {
  const stop = new AbortController();
  const waits: number[] = [];
  const said: (readonly [string, unknown])[] = [];
  const broken: unknown[] = [];
  const timers: Timers = {
    after(delayMs, task) {
      waits.push(delayMs);
      queueMicrotask(task);
      return () => undefined;
    },
  };
  const warn = (event: string, fields?: LogFields) => void said.push([event, fields?.['part']]);
  const left = [...steps];
  const troubled = new Map<string, string>();
  const deps = {
    ...{ timers, troubled, stopping: stop.signal, logger: { ...silentLogger, warn } },
    onBroken: (error: unknown) => void broken.push(error),
  };
  await steadyLoop(deps, 'a part', () => {
    const step = left.shift();
    if (left.length === 0) stop.abort();
    step?.();
    return Promise.resolve();
  });
  return { waits, said, broken, troubled: [...troubled] };
}

const fail = () => {
  throw away;
};
const work = () => undefined;

test('an outage is told once, waited out with growing pauses, and its end is told', async () => {
  expect(await looped([fail, fail, fail, work, work])).toEqual({
    waits: [100, 200, 400],
    said: [
      ['relay.trouble', 'a part'],
      ['relay.recovered', 'a part'],
    ],
    broken: [],
    troubled: [],
  });
});

test('what is no fault of a server is a bug, and ends the loop', async () => {
  const bug = new TypeError('a bug');
  const { broken, waits } = await looped([
    work,
    () => {
      throw bug;
    },
    work,
  ]);
  expect([broken, waits]).toEqual([[bug], []]);
});
