import { KafkaJSNonRetriableError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } from 'kafkajs';
import { expect, test } from 'vitest';
import { failureKind, passes, unavailable } from '../../../../src/broker/kafkajs/failure.ts';
import { Fault } from '../../../../src/runtime/fault.ts';

const protocol = (type: string) =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code: 1 }));

test.each([
  ['MESSAGE_TOO_LARGE', 'refused'],
  ['UNKNOWN_TOPIC_OR_PARTITION', 'gone-topic'],
  ['OUT_OF_ORDER_SEQUENCE_NUMBER', 'sequence'],
  ['ILLEGAL_GENERATION', 'fenced'],
  ['REQUEST_TIMED_OUT', 'trouble'],
])('%s means %s, also wrapped', (type, kind) => {
  expect(failureKind(protocol(type))).toBe(kind);
  const wrapped = new Error('outer', {
    cause: new KafkaJSNumberOfRetriesExceeded(protocol(type), { retryCount: 1, retryTime: 1 }),
  });
  expect(failureKind(wrapped)).toBe(kind);
});

test('a coordinator that is not there passes, a broken codec does not', () => {
  expect(passes(protocol('GROUP_COORDINATOR_NOT_AVAILABLE'))).toBe(true);
  expect(passes(Object.assign(new Error('x'), { name: 'KafkaJSGroupCoordinatorNotFound' }))).toBe(true);
  expect(passes(new KafkaJSNonRetriableError('Snappy compression not implemented'))).toBe(false);
  expect(passes('not an error')).toBe(false);
});

test('causes in a circle end', () => {
  const error = new Error('round');
  error.cause = error;
  expect(failureKind(error)).toBe('trouble');
});

test('a fault stays as it is, anything else becomes one that may be tried again', () => {
  const fault = new Fault('LOG_TOPIC_UNKNOWN', 'x', { retriable: false });
  expect(unavailable(fault, 'doing')).toBe(fault);
  expect(unavailable(new Error('refused'), 'connecting')).toMatchObject({
    code: 'LOG_UNAVAILABLE',
    retriable: true,
    message: 'connecting: refused',
  });
});
