import { describe, expect, test } from 'vitest';
import { UnstorableValue } from '../../../src/state/column-array.ts';
import { postgresFailure, stateFault } from '../../../src/state/postgres-failure.ts';

const postgresError = (code: string, more = {}) =>
  Object.assign(new RangeError(`error ${code}`), { severity: 'ERROR', code, ...more });

describe('an error of Postgres', () => {
  test.each([
    ['23514', 'refused', 'a CHECK'],
    ['22021', 'refused', 'NUL in text'],
    ['22P05', 'refused', 'NUL in jsonb'],
    ['54000', 'refused', 'a limit of one row'],
    ['40P01', 'conflict', 'a deadlock'],
    ['40001', 'conflict', 'a serialization failure'],
    ['55P03', 'conflict', 'a lock timeout'],
    ['57014', 'conflict', 'a statement timeout'],
    ['42P01', 'unfit', 'a table that is not there'],
    ['42501', 'unfit', 'missing rights'],
    ['25006', 'unfit', 'a standby'],
    ['53100', 'unfit', 'a full disk'],
    ['0A000', 'unfit', 'a plan that a migration made invalid'],
    ['57P01', 'lost', 'an administrator'],
    ['08006', 'lost', 'a broken connection'],
  ])('%s is %s: %s', (code, kind) => {
    expect(postgresFailure(postgresError(code)).kind).toBe(kind);
  });

  test('of the socket is a lost connection, whatever its code looks like', () => {
    const error = Object.assign(new RangeError('write EPIPE'), { code: 'EPIPE' });
    expect(postgresFailure(error)).toEqual({ kind: 'lost', reason: 'write EPIPE' });
  });

  test('without any code is a lost connection', () => {
    expect(postgresFailure(new RangeError('Connection terminated unexpectedly'))).toEqual({
      kind: 'lost',
      reason: 'Connection terminated unexpectedly',
    });
  });

  test('names the constraint when there is one, and never the row', () => {
    const error = postgresError('23514', {
      constraint: 'notifications_obligations',
      detail: 'Failing row: secret',
    });
    expect(postgresFailure(error)).toEqual({ kind: 'refused', reason: '23514 notifications_obligations' });
  });

  test('is a retriable Fault unless the data is at fault', () => {
    expect(stateFault(postgresError('57P01'))).toMatchObject({ code: 'STATE_UNAVAILABLE', retriable: true });
    expect(stateFault(postgresError('42P01'))).toMatchObject({ code: 'STATE_UNAVAILABLE', retriable: true });
    expect(stateFault(new UnstorableValue('uuid'))).toMatchObject({
      code: 'STATE_REFUSED',
      retriable: false,
    });
  });
});
