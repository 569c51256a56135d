import { describe, expect, it } from 'vitest';
import { EXIT, exitCodeOf } from '../../../src/app/exit-codes.ts';
import { reportFailure } from '../../../src/app/report-failure.ts';
import { StackUnavailable } from '../../../src/app/stack/stack-unavailable.ts';
import { Fault, InvariantBroken } from '../../../src/runtime/fault.ts';
import { anEnvironment } from './an-environment.ts';

function reported(error: unknown) {
  const environment = anEnvironment();
  return { exitCode: reportFailure(environment, error), err: environment.err() };
}

describe('the exit code of a Fault', () => {
  it.each([
    ['LOG_UNAVAILABLE', true, EXIT.unavailable],
    ['STATE_UNAVAILABLE', true, EXIT.unavailable],
    ['REGISTRY_UNAVAILABLE', true, EXIT.unavailable],
    ['CONFIG_INVALID', false, EXIT.badConfiguration],
    ['START_UNSAFE', false, EXIT.badConfiguration],
    ['TOPICS_UNSAFE', false, EXIT.badConfiguration],
    ['SCHEMAS_NOT_REGISTERED', false, EXIT.badConfiguration],
    ['PIN_PROVIDER_SETTINGS', false, EXIT.badConfiguration],
    ['HTTP_ADDRESS_TAKEN', false, EXIT.badConfiguration],
    ['USAGE', false, EXIT.usage],
    ['INTERRUPTED', true, EXIT.interrupted],
    ['LOG_FENCED', true, EXIT.tryAgain],
    ['LOG_RECORD_REFUSED', false, EXIT.failure],
  ])('%s (retriable: %s) is %i', (code, retriable, exitCode) => {
    expect(exitCodeOf(new Fault(code, 'words', { retriable }))).toBe(exitCode);
  });
});

describe('reportFailure', () => {
  it('says one sentence for a Fault, without a stack', () => {
    const { exitCode, err } = reported(
      new Fault('SCHEMAS_NOT_REGISTERED', 'run `pin schemas push`', { retriable: false }),
    );
    expect([exitCode, err]).toEqual([
      EXIT.badConfiguration,
      'pin: run `pin schemas push` [SCHEMAS_NOT_REGISTERED]\n',
    ]);
  });

  it('shows the stack of a bug and answers 70', () => {
    for (const bug of [new InvariantBroken('a rule is broken'), new TypeError('x is not a function')]) {
      const { exitCode, err } = reported(bug);
      expect(exitCode).toBe(EXIT.bug);
      expect(err).toMatch(/^pin: this is a bug.*\n.*\n +at /);
    }
  });

  it('says how to make the tables when they are missing', () => {
    const fault = new Fault('STATE_UNAVAILABLE', '42P01 relation "pin.notifications" does not exist', {
      retriable: true,
    });
    const { exitCode, err } = reported(fault);
    expect(exitCode).toBe(EXIT.badConfiguration);
    expect(err).toContain('run `pin migrate up`');
  });

  it('answers 69 where the servers cannot run', () => {
    expect(reported(new StackUnavailable(['Java'], ['apt-get install java'])).exitCode).toBe(
      EXIT.unavailable,
    );
  });

  it('says nothing when a person has interrupted, but never hides a bug', () => {
    const environment = anEnvironment();
    environment.interrupt();
    expect(reportFailure(environment, new Fault('LOG_CLOSED', 'closed', { retriable: false }))).toBe(
      EXIT.interrupted,
    );
    expect(environment.err()).toBe('');
    expect(reportFailure(environment, new TypeError('bug'))).toBe(EXIT.bug);
  });
});
