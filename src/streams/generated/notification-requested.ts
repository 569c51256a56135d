// Generated from schemas/notification-requested.avsc by scripts/generate-types.mjs: change the schema, then run it again.

/** A copy for the inbox of a user. */
interface InAppCopy {
  /** Whose inbox. */
  readonly userId: string;
  /** One line. */
  readonly title: string;
  /** Plain text. */
  readonly body: string;
}

/** Content as given; at least one part is set. */
interface Body {
  /** Subject or title, where the channel has one. */
  readonly subject: string | null;
  /** Plain text. */
  readonly text: string | null;
  /** HTML, where the channel can show it. */
  readonly html: string | null;
}

/** Names content that is rendered by us. */
interface TemplateRef {
  /** Name of the template. */
  readonly key: string;
  /** Version of the template. Null is the current one. */
  readonly version: string | null;
  /** BCP 47 language tag. Null is the default of the template. */
  readonly locale: string | null;
}

/** Asks for one notification to one recipient. Key of the record: notificationId. Exactly one of template and body is set. */
export interface NotificationRequested {
  /** The one id of this notification everywhere. The same id with the same content is the same request. */
  readonly notificationId: string;
  /** Owner of the notification, at most 128 characters. Null is the platform itself, a real value. */
  readonly tenantId: string | null;
  /** One of email, sms, push, telegram, max, whatsapp, viber, in-app. */
  readonly channel: string;
  /** One address as the channel understands it; for channel in-app the user. Never a list. */
  readonly recipient: string;
  /** Content by template, filled from data. */
  readonly template: TemplateRef | null;
  /** Content as given. */
  readonly body: Body | null;
  /** Values for the template; structured values as JSON text. */
  readonly data: Readonly<Record<string, string>>;
  /** A copy that is shown in the application at once, whatever becomes of the delivery. */
  readonly inApp: InAppCopy | null;
  /** No attempt starts earlier. Epoch milliseconds. */
  readonly notBefore: number | null;
  /** No attempt starts later; what is not sent by then ends with NTF_EXPIRED. Epoch milliseconds. */
  readonly notAfter: number | null;
  /** A word that the channel or the provider understands. */
  readonly priority: string | null;
  /** The request that this one was fanned out from. */
  readonly parentId: string | null;
  /** Kind of the business object that this is about. */
  readonly aggregateType: string | null;
  /** Id of the business object that this is about. */
  readonly aggregateId: string | null;
  /** Organisational unit of the tenant. */
  readonly orgUnitId: string | null;
  /** Name of the business event that caused it. */
  readonly trigger: string | null;
  /** Id of the whole business transaction. */
  readonly correlationId: string | null;
  /** Id of the message that caused this one. */
  readonly causationId: string | null;
  /** When the upstream service asked, by its own clock. Epoch milliseconds. */
  readonly requestedAt: number;
  /** Facts for analytics; passed on to the outcome. Never personal data. */
  readonly attributes: Readonly<Record<string, string>>;
}
