// The key of everything: one notification, one id, one partition, one order.

declare const brand: unique symbol;
export type NotificationId = string & { readonly [brand]: 'NotificationId' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id in lower case, or null when the text is not a uuid. */
export function parseNotificationId(text: string): NotificationId | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? (lower as NotificationId) : null;
}
