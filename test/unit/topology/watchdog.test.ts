import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/runtime/fault.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { outages } from '../../../src/topology/outages.ts';
import { TEST_SETTINGS } from '../../../src/topology/test-driver.ts';
import { startWatchdog } from '../../../src/topology/watchdog.ts';
import { aRequest } from '../../support/a-notification.ts';
import { drive, WAITS } from './driving.ts';

const LIMIT_MS = 60_000;
const AWAY = new Fault('LOG_UNAVAILABLE', 'away', { retriable: true });

function watched(limitMs = LIMIT_MS) {
  const time = virtualTime();
  const signal = new AbortController().signal;
  const away = outages({ ...time, logger: silentLogger }, { stopping: signal, ending: signal });
  const world = {
    oldestWorkMs: null as number | null,
    /** The consumer's last sign of life; null: just now. */
    consumerMs: null as number | null,
    storeAwaySinceMs: null as number | null,
    logAnswers: true,
    pings: 0,
    clockJumpMs: 0,
  };
  const stuck: string[] = [];
  const monotonicMs = () => time.clock.monotonicMs() + world.clockJumpMs;
  startWatchdog(
    {
      ...time,
      clock: { ...time.clock, monotonicMs },
      // As on a machine: never early, always a little late.
      timers: { after: (delayMs, task) => time.timers.after(delayMs + 2, task) },
      logger: silentLogger,
      outages: away,
      oldestWorkMs: () => world.oldestWorkMs,
      consumerAgeMs: () => monotonicMs() - (world.consumerMs ?? monotonicMs()),
      storeAwaySinceMs: () => world.storeAwaySinceMs,
      pingLog() {
        world.pings += 1;
        return world.logAnswers ? Promise.resolve() : Promise.reject(AWAY);
      },
      onStuck: ({ message }) => stuck.push(message),
    },
    { limitMs },
  );
  return { time, away, world, stuck };
}

describe('the watchdog', () => {
  test('ends a process whose work made no step for the limit, and says so once', async () => {
    const { time, world, stuck } = watched();
    world.oldestWorkMs = 0;
    await time.advance(LIMIT_MS - 1_000);
    expect(stuck).toEqual([]);
    await time.advance(5_000);
    expect(stuck).toEqual(['a piece of work made no step for 60 s, and every server answers']);
  });

  test('ends a process whose consumer is silent although the brokers answer', async () => {
    const { time, world, stuck } = watched();
    world.consumerMs = 0;
    await time.advance(LIMIT_MS + 2_000);
    expect(stuck).toEqual(['the consumer made no step for 60 s, and every server answers']);
  });

  test('ends it under the longest limit that can be set as well', async () => {
    const longestMs = 60 * LIMIT_MS;
    const { time, world, stuck } = watched(longestMs);
    world.oldestWorkMs = 0;
    await time.advance(longestMs + LIMIT_MS);
    expect(stuck).toHaveLength(1);
  });

  test('lets an idle process live, and does not ask the brokers meanwhile', async () => {
    const { time, world, stuck } = watched();
    await time.advance(10 * LIMIT_MS);
    expect(stuck).toEqual([]);
    expect(world.pings).toBe(0);
  });

  test('names the brokers as away, waits for as long as they are, and gives the limit again afterwards', async () => {
    const { time, away, world, stuck } = watched();
    world.oldestWorkMs = 0;
    world.logAnswers = false;
    await time.advance(10 * LIMIT_MS);
    expect([...away.current().keys()]).toEqual(['kafka']);
    expect(stuck).toEqual([]);
    world.logAnswers = true;
    await time.advance(LIMIT_MS - 2_000);
    expect(away.current().size).toBe(0);
    expect(stuck).toEqual([]);
    await time.advance(4_000);
    expect(stuck).toHaveLength(1);
  });

  test('names Postgres as away since its writes are not answered', async () => {
    const { time, away, world, stuck } = watched();
    world.oldestWorkMs = 0;
    world.storeAwaySinceMs = 42;
    await time.advance(3 * LIMIT_MS);
    expect([...away.current()]).toEqual([['postgres', 42]]);
    expect(stuck).toEqual([]);
    world.storeAwaySinceMs = null;
    world.oldestWorkMs = null;
    await time.advance(2_000);
    expect(away.current().size).toBe(0);
  });

  test('does not take a process for stuck that stood still as a whole', async () => {
    const { time, world, stuck } = watched();
    world.oldestWorkMs = 0;
    world.consumerMs = 0;
    await time.advance(2_000);
    world.clockJumpMs = 20 * LIMIT_MS;
    await time.advance(3_000);
    expect(stuck).toEqual([]);
    await time.advance(LIMIT_MS);
    expect(stuck).toHaveLength(1);
  });
});

test('an adapter that never answers ends the processor', async () => {
  const driver = await drive({ script: { steps: [WAITS] } });
  const request = aRequest();
  await driver.request(request);
  await driver.time.advance(TEST_SETTINGS.watchdogMs - 5_000);
  expect(driver.processor.state()).toBe('running');
  await driver.time.advance(10_000);
  expect(driver.processor.state()).toBe('failed');
  expect(driver.events).toContain('processor.failed');
});
