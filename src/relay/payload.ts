// The payload of a NotificationRequested row: channel, template or body, to (one or many), data, trigger, and what else a request may
// have. Read tolerantly (other fields are the writer's own), judged strictly: what has the wrong shape is said in a sentence that names
// the field and never shows its value.
import { epochMsOfIso } from '../runtime/clock.ts';

export interface RequestPayload {
  readonly channel: string;
  /** As given, perhaps nobody. */
  readonly to: readonly string[];
  readonly template: {
    readonly key: string;
    readonly version: string | null;
    readonly locale: string | null;
  } | null;
  readonly body: {
    readonly subject: string | null;
    readonly text: string | null;
    readonly html: string | null;
  } | null;
  readonly data: Readonly<Record<string, string>>;
  readonly inApp: { readonly userId: string; readonly title: string; readonly body: string } | null;
  readonly notBeforeMs: number | null;
  readonly notAfterMs: number | null;
  readonly priority: string | null;
  readonly trigger: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

export type PayloadAnswer =
  | { readonly kind: 'payload'; readonly payload: RequestPayload }
  | { readonly kind: 'wrong'; readonly reason: string };

/** What a field says about itself when it has the wrong shape. */
class WrongField extends Error {}

type Fields = Readonly<Record<string, unknown>>;

export function parsePayload(json: string): PayloadAnswer {
  try {
    return { kind: 'payload', payload: payloadOf(fieldsOf('payload', parsed(json))) };
  } catch (error) {
    if (error instanceof WrongField) return { kind: 'wrong', reason: error.message };
    throw error;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new WrongField('payload is not JSON');
  }
}

function payloadOf(fields: Fields): RequestPayload {
  return {
    channel: requiredText('channel', fields['channel']),
    to: recipientsOf(fields['to'] ?? fields['recipient']),
    template: templateOf(fields['template'] ?? null),
    body: bodyOf(fields['body'] ?? null),
    data: textsOf('data', fields['data'] ?? null),
    inApp: inAppOf(fields['inApp'] ?? null),
    notBeforeMs: timeOf('notBefore', fields['notBefore'] ?? null),
    notAfterMs: timeOf('notAfter', fields['notAfter'] ?? null),
    priority: textOf('priority', fields['priority'] ?? null),
    trigger: textOf('trigger', fields['trigger'] ?? null),
    attributes: textsOf('attributes', fields['attributes'] ?? null),
  };
}

function recipientsOf(to: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(to) ? to : [to ?? null];
  return given.map((one) => requiredText('to', one));
}

/** A key alone, or an object. */
function templateOf(template: unknown): RequestPayload['template'] {
  if (template === null) return null;
  if (typeof template === 'string') return { key: template, version: null, locale: null };
  const { key, version, locale } = fieldsOf('template', template);
  return {
    key: requiredText('template.key', key),
    version: textOf('template.version', version ?? null),
    locale: textOf('template.locale', locale ?? null),
  };
}

/** A plain text alone, or an object. */
function bodyOf(body: unknown): RequestPayload['body'] {
  if (body === null) return null;
  if (typeof body === 'string') return { subject: null, text: body, html: null };
  const { subject, text, html } = fieldsOf('body', body);
  return {
    subject: textOf('body.subject', subject ?? null),
    text: textOf('body.text', text ?? null),
    html: textOf('body.html', html ?? null),
  };
}

function inAppOf(inApp: unknown): RequestPayload['inApp'] {
  if (inApp === null) return null;
  const { userId, title, body } = fieldsOf('inApp', inApp);
  return {
    userId: requiredText('inApp.userId', userId),
    title: requiredText('inApp.title', title),
    body: requiredText('inApp.body', body),
  };
}

/** Texts as they are, anything else as its JSON text; what is null is left out. */
function textsOf(field: string, value: unknown): Readonly<Record<string, string>> {
  if (value === null) return {};
  const entries = Object.entries(fieldsOf(field, value)).filter(([, part]) => part !== null);
  return Object.fromEntries(
    entries.map(([key, part]) => [key, typeof part === 'string' ? part : JSON.stringify(part)]),
  );
}

function timeOf(field: string, value: unknown): number | null {
  if (value === null) return null;
  const epochMs = typeof value === 'string' ? epochMsOfIso(value) : value;
  if (typeof epochMs === 'number' && Number.isSafeInteger(epochMs)) return epochMs;
  throw new WrongField(`${field} is neither an ISO 8601 time nor epoch milliseconds`);
}

function textOf(field: string, value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new WrongField(`${field} is not a text`);
}

function requiredText(field: string, value: unknown): string {
  if (value === null || value === undefined) throw new WrongField(`${field} is missing`);
  const text = textOf(field, value);
  return text ?? '';
}

function fieldsOf(field: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new WrongField(`${field} is not an object`);
}
