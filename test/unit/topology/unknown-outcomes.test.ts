// Calls whose answer nobody got: what the provider can do, else what the channel wants.
import { describe, expect, test } from 'vitest';
import { anId, aRequest } from '../../support/a-notification.ts';
import { drive, LOST, outcomes, stored, WAITS, withLookUp, withMail } from './driving.ts';

const ACCEPTED_UNHEARD = { kind: 'accept-then-unknown' } as const;

describe('an answer that nobody got', () => {
  test.each(['hold', 'assume-sent', 'resend'] as const)(
    'is asked for with the same key where the provider has one, also under policy %s',
    async (onUnknown) => {
      const driver = await drive({ script: { steps: [ACCEPTED_UNHEARD] }, config: { onUnknown } });
      await driver.request(aRequest());
      await driver.time.advance(29_000);
      expect(driver.mail.calls).toHaveLength(1);
      expect(await stored(driver, anId())).toMatchObject({
        status: 'Failed',
        lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'unknown' },
      });
      await driver.time.advance(5_000);
      expect(driver.mail.calls.map(({ call }) => call.attempt)).toEqual([1, 2]);
      expect(driver.mail.messages).toHaveLength(1);
      expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 2 }]);
    },
  );

  test.each(['hold', 'assume-sent', 'resend'] as const)(
    'is looked up first where the provider can be asked, also under policy %s',
    async (onUnknown) => {
      const facts = { capability: 'lookup', visibilityDelayMs: 5_000 } as const;
      const driver = await drive({ facts, script: { steps: [ACCEPTED_UNHEARD] }, config: { onUnknown } });
      await driver.request(aRequest());
      await driver.time.advance(49_000);
      expect(await stored(driver, anId())).toMatchObject({ final: null, status: 'Failed' });
      await driver.time.advance(5_000);
      expect(driver.mail.calls).toHaveLength(1);
      expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1, reason: 'accepted' }]);
    },
  );

  test('is a failed attempt when the lookup says that there is no message', async () => {
    const driver = await drive({ facts: { capability: 'lookup' }, script: { steps: [LOST] } });
    await driver.request(aRequest());
    await driver.time.advance(120_000);
    expect(driver.mail.calls.map(({ call }) => call.attempt)).toEqual([1, 2]);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 2 }]);
  });

  test('is replaced by another call where that replaces the message', async () => {
    const driver = await drive({ facts: { capability: 'replace' }, script: { steps: [ACCEPTED_UNHEARD] } });
    await driver.request(aRequest());
    await driver.time.advance(40_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 2 }]);
  });

  test('holds the row for a webhook and ends it as unknown when none comes', async () => {
    const driver = await drive({ facts: { capability: 'none' }, script: { steps: [ACCEPTED_UNHEARD] } });
    await driver.request(aRequest());
    await driver.time.advance(899_000);
    expect(driver.dispatched()).toHaveLength(0);
    await driver.time.advance(10_000);
    expect(driver.mail.calls).toHaveLength(1);
    expect(await outcomes(driver)).toMatchObject([
      { status: 'Failed', reason: 'unknown-outcome', errorCode: 'NTF_OUTCOME_UNKNOWN' },
    ]);
  });

  test('is assumed to be Sent where the channel says so, without a second call', async () => {
    const config = { onUnknown: 'assume-sent' } as const;
    const driver = await drive({ facts: { capability: 'none' }, script: { steps: [LOST] }, config });
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    expect(driver.mail.calls).toHaveLength(1);
    expect(await outcomes(driver)).toMatchObject([
      { status: 'Sent', evidence: 'assumed', reason: 'assumed' },
    ]);
  });

  test('is sent again where the channel says so, and counted as a possible duplicate', async () => {
    const config = { onUnknown: 'resend' } as const;
    const driver = await drive({ facts: { capability: 'none' }, script: { steps: [LOST] }, config });
    await driver.request(aRequest());
    await driver.time.advance(40_000);
    expect(driver.mail.calls).toHaveLength(2);
    expect(driver.counted('pin_possible_duplicates_total', { channel: 'email' })).toBe(1);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 2 }]);
  });

  test('of an adapter that throws before it started is a certain failure', async () => {
    const driver = await drive({
      facts: { capability: 'none' },
      script: {
        rule: () => {
          throw new RangeError('the adapter is broken');
        },
      },
    });
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    expect(driver.processor.state()).toBe('running');
    expect(await stored(driver, anId())).toMatchObject({
      attempts: 1,
      unknown: null,
      lastError: { errorClass: 'transient', providerCode: 'adapter_threw' },
    });
  });
});

test('an adapter that throws after it started leaves a doubt', async () => {
  const driver = await drive({
    facts: { capability: 'none' },
    around: withMail(() => ({
      send: (_, mayStart) => {
        mayStart();
        return Promise.reject(new RangeError('the adapter is broken'));
      },
    })),
  });
  await driver.request(aRequest());
  expect(await stored(driver, anId())).toMatchObject({
    attempts: 1,
    unknown: { attempt: 1, resolution: 'held' },
    lastError: { errorClass: 'unknown' },
  });
});

describe('a lookup', () => {
  const facts = { capability: 'lookup', visibilityDelayMs: 0, maxConcurrency: 1 } as const;

  test('holds a permit of its provider', async () => {
    let asked = 0;
    const driver = await drive({
      facts,
      script: { steps: [LOST, WAITS] },
      around: withLookUp((ask) => {
        asked += 1;
        return ask();
      }),
    });
    await driver.request(aRequest());
    await driver.time.advance(44_000);
    await driver.request(aRequest({ notificationId: anId(2) }));
    expect(driver.mail.openCalls()).toBe(1);
    await driver.time.advance(4_000);
    expect(asked).toBe(0);
    driver.mail.release();
    await driver.time.advance(100);
    expect(asked).toBe(1);
  });

  test('that throws is a question without an answer, and is asked again', async () => {
    let asked = 0;
    const driver = await drive({
      facts,
      script: { steps: [ACCEPTED_UNHEARD] },
      around: withLookUp((ask) => {
        asked += 1;
        return asked === 1 ? Promise.reject(new RangeError('broken')) : ask();
      }),
    });
    await driver.request(aRequest());
    await driver.time.advance(180_000);
    expect(asked).toBe(2);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 1 }]);
  });

  test('that found a message counts although the row has moved on meanwhile', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const driver = await drive({
      facts,
      script: { steps: [ACCEPTED_UNHEARD] },
      around: withLookUp(async (ask) => {
        await answered;
        return ask();
      }),
    });
    await driver.request(aRequest());
    await driver.time.advance(50_000);
    const before = await stored(driver, anId());
    const { unknown } = before;
    if (unknown === null) throw new RangeError('the row has no doubt');
    await driver.store.write({
      expectedVersion: before.version,
      change: {
        next: { ...before, unknown: { ...unknown, resolution: 'held' } },
        wake: { kind: 'after', waitMs: 600_000, inLog: true },
        isNextAttempt: false,
        trail: 'somebody-else',
      },
      writeToken: anId(99),
    });
    answer();
    await driver.time.advance(2_000);
    expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', reason: 'accepted' }]);
  });
});
