import { describe, expect, test } from 'vitest';
import { eventsBetween } from '../../../src/domain/notification-event.ts';
import { aNotification, anId } from '../../support/a-notification.ts';

const about = { id: anId(), tenantId: 'tenant-1', version: 4 };
const inApp = { inAppUserId: 'ada', inAppStatus: 'waiting' } as const;

describe('what a commit tells', () => {
  test('is nothing when the status and the copy are as they were', () => {
    const row = aNotification({ version: 4, attempts: 2 });
    expect(eventsBetween(aNotification(), row)).toEqual([]);
    expect(eventsBetween(aNotification(inApp), aNotification({ ...inApp, attempts: 2 }))).toEqual([]);
  });

  test('is a changed status with both ends and the version that says it', () => {
    const row = aNotification({ version: 4, status: 'Failed' });
    expect(eventsBetween(aNotification({ version: 3 }), row)).toEqual([
      { kind: 'status-changed', ...about, from: 'Pending', to: 'Failed' },
    ]);
  });

  test('is a copy that arrived, beside the status', () => {
    const row = aNotification({ version: 4, ...inApp, inAppStatus: 'arrived', status: 'Sent' });
    expect(eventsBetween(aNotification(inApp), row)).toEqual([
      { kind: 'status-changed', ...about, from: 'Pending', to: 'Sent' },
      { kind: 'inbox-arrived', ...about, userId: 'ada' },
    ]);
  });

  test('is a notification of channel in-app that came to its inbox when it is Sent', () => {
    const before = aNotification({ channel: 'in-app', inAppUserId: 'ada' });
    const [, arrived] = eventsBetween(before, { ...before, status: 'Sent', version: 4 });
    expect(arrived).toEqual({ kind: 'inbox-arrived', ...about, userId: 'ada' });
  });

  test('is a copy that was read, once', () => {
    const shown = { inAppUserId: 'ada', inAppStatus: 'arrived' } as const;
    const row = aNotification({ version: 4, ...shown, readAtMs: 7 });
    expect(eventsBetween(aNotification(shown), row)).toEqual([
      { kind: 'inbox-read', ...about, userId: 'ada' },
    ]);
    expect(eventsBetween(row, { ...row, version: 5 })).toEqual([]);
  });
});
