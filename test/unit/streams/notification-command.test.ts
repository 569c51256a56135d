import { describe, expect, it } from 'vitest';
import type { NotificationCommand } from '../../../src/domain/notification-command.ts';
import {
  decodeNotificationCommand,
  notificationCommandRecord,
} from '../../../src/streams/notification-command.ts';
import { anId, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, received, textHeaders } from './a-codec.ts';

function aCommand(over: Partial<NotificationCommand> = {}): NotificationCommand {
  return {
    commandId: '22222222-2222-4222-8222-222222222222',
    notificationId: anId(),
    tenantId: null,
    kind: 'cancel',
    actor: 'ops:ada',
    reason: null,
    expectedCycle: 2,
    isForced: false,
    issuedAtMs: NOW_MS,
    ...over,
  };
}

describe('a command', () => {
  it('comes back as it was produced', async () => {
    const { topics, codec } = await aCodec();
    const record = received(notificationCommandRecord(topics, codec, aCommand({ tenantId: 't-1' }), null));
    expect(await decodeNotificationCommand(codec, record)).toEqual({
      kind: 'decoded',
      value: aCommand({ tenantId: 't-1' }),
    });
    expect(textHeaders(record)).toMatchObject({ ce_type: 'NotificationCommand', ce_tenantid: 't-1' });
  });

  it.each([
    ['kind', { kind: 'delete' as never }],
    ['commandId', { commandId: 'c-1' }],
    ['tenantId', { tenantId: '' }],
    ['actor', { actor: ' ' }],
    ['reason', { reason: 'r'.repeat(1_025) }],
    ['expectedCycle', { expectedCycle: -1 }],
    ['issuedAt', { issuedAtMs: 17 }],
  ] as const)('is refused for its %s', async (field, over) => {
    const { topics, codec } = await aCodec();
    const record = received(notificationCommandRecord(topics, codec, aCommand(over), null));
    expect(await decodeNotificationCommand(codec, record)).toMatchObject({ reason: 'invalid-field', field });
  });
});
