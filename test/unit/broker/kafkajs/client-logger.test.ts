import { logLevel } from 'kafkajs';
import { expect, test } from 'vitest';
import { type ClientEvent, clientLogger } from '../../../../src/broker/kafkajs/client-logger.ts';
import { silentLogger } from '../../../../src/runtime/logger.ts';

function told(level: logLevel, message: string, extra: Readonly<Record<string, unknown>> = {}) {
  const lines: string[] = [];
  const events: ClientEvent[] = [];
  const logger = {
    ...silentLogger,
    debug: (event: string) => lines.push(`debug ${event}`),
    warn: (event: string) => lines.push(`warn ${event}`),
    error: (event: string) => lines.push(`error ${event}`),
  };
  clientLogger(logger, (event) => events.push(event))()({
    namespace: 'Connection',
    level,
    label: 'X',
    log: { timestamp: '', message, ...extra },
  });
  return { lines, events };
}

test.each([
  "The coordinator is loading and hence can't process requests for this group",
  'The group coordinator is not available',
  'Response JoinGroup(key: 11, version: 5)',
  'The coordinator is not aware of this member, re-joining the group',
])('what repairs itself is debug: %s', (message) => {
  expect(told(logLevel.ERROR, message).lines).toEqual(['debug kafka.client']);
});

test('an error that may not repair itself is a warning, never an error', () => {
  expect(told(logLevel.ERROR, 'Connection error: connect ECONNREFUSED').lines).toEqual(['warn kafka.client']);
});

test('everything else is debug', () => {
  expect(told(logLevel.WARN, 'something').lines).toEqual(['debug kafka.client']);
  expect(told(logLevel.INFO, 'Pausing fetching from 1 topics').lines).toEqual(['debug kafka.client']);
});

test('topic and partition are passed on, and text of another type is not', () => {
  expect(told(logLevel.ERROR, 'Offset out of range', { topic: 't', partition: 3 }).events).toEqual([
    { message: 'Offset out of range', topic: 't', partition: 3 },
  ]);
  expect(told(logLevel.ERROR, 'x', { topic: 7, partition: '3' }).events).toEqual([
    { message: 'x', topic: null, partition: null },
  ]);
});
