import { expect, test } from 'vitest';
import { topicRest } from '../../../../src/broker/kafkajs/topic-rest.ts';
import { virtualTime } from '../../../../src/runtime/virtual-time.ts';

function setup() {
  const time = virtualTime();
  const said: string[] = [];
  const rest = topicRest({
    timers: time.timers,
    lookEveryMs: new Map([
      ['tier.1s', 500],
      ['tier.5s', 2_500],
    ]),
    fallAsleep: (topic) => said.push(`asleep ${topic}`),
    wakeUp: (topic) => said.push(`awake ${topic}`),
  });
  const heard = () => said.splice(0);
  const fetch = (broker: number) => {
    rest.fetchStarted(broker);
    rest.fetchEnded(broker);
  };
  return { time, rest, heard, fetch };
}

test('a topic rests after a whole fetch without its records, and is looked at again in its time', async () => {
  const { time, rest, heard, fetch } = setup();
  rest.begin();
  fetch(1);
  expect(heard()).toEqual(['asleep tier.1s', 'asleep tier.5s']);
  await time.advance(499);
  expect(heard()).toEqual([]);
  await time.advance(1);
  expect(heard()).toEqual(['awake tier.1s']);
  fetch(1);
  expect(heard()).toEqual(['asleep tier.1s']);
});

test('a fetch that began before the topic woke did not name it', async () => {
  const { time, rest, heard, fetch } = setup();
  rest.begin();
  fetch(1);
  rest.fetchStarted(1);
  await time.advance(500);
  heard();
  rest.fetchEnded(1);
  expect(heard()).toEqual([]);
  fetch(1);
  expect(heard()).toEqual(['asleep tier.1s']);
});

test('records keep their topic awake until a fetch brings none', () => {
  const { rest, heard, fetch } = setup();
  rest.begin();
  rest.fetchStarted(1);
  rest.delivered('tier.1s');
  rest.fetchEnded(1);
  expect(heard()).toEqual(['asleep tier.5s']);
  fetch(1);
  expect(heard()).toEqual(['asleep tier.1s']);
});

test('what a resting topic still brings wakes it at once', () => {
  const { rest, heard, fetch } = setup();
  rest.begin();
  fetch(1);
  heard();
  rest.delivered('tier.5s');
  expect(heard()).toEqual(['awake tier.5s']);
});

test('every broker must have answered, and one that hangs keeps the topic awake', () => {
  const { rest, heard, fetch } = setup();
  rest.begin();
  rest.fetchStarted(2);
  fetch(1);
  fetch(1);
  expect(heard()).toEqual([]);
  rest.fetchEnded(2);
  expect(heard()).toEqual(['asleep tier.1s', 'asleep tier.5s']);
});

test('an assignment wakes everything without saying so, and an end leaves no timer', async () => {
  const { time, rest, heard, fetch } = setup();
  rest.begin();
  fetch(1);
  heard();
  rest.begin();
  await time.advance(10_000);
  expect(heard()).toEqual([]);
  fetch(1);
  heard();
  rest.end();
  await time.advance(10_000);
  expect(heard()).toEqual([]);
});

test('a broker that is not asked any more since the assignment is not waited for', () => {
  const { rest, heard, fetch } = setup();
  rest.begin();
  rest.fetchStarted(2);
  rest.begin();
  fetch(1);
  expect(heard()).toEqual(['asleep tier.1s', 'asleep tier.5s']);
});
