import { describe, expect, test } from 'vitest';
import { parseNotificationId } from '../../../src/domain/notification-id.ts';

describe('parseNotificationId', () => {
  test('takes a uuid in any case and answers in lower case', () => {
    expect(parseNotificationId('0198C2F0-7B1A-7C3D-9E4F-0123456789AB')).toBe(
      '0198c2f0-7b1a-7c3d-9e4f-0123456789ab',
    );
  });

  test.each([
    '',
    'not-a-uuid',
    '0198c2f07b1a7c3d9e4f0123456789ab',
    ' 0198c2f0-7b1a-7c3d-9e4f-0123456789ab',
    '0198c2f0-7b1a-7c3d-9e4f-0123456789ab\n',
    '0198c2f0-7b1a-7c3d-9e4f-0123456789ag',
  ])('refuses %j', (text) => {
    expect(parseNotificationId(text)).toBeNull();
  });
});
