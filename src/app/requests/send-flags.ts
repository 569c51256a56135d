// The flags of `pin send` as the JSON that a file would have held.

export interface SendFlags {
  readonly id?: string;
  readonly channel?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly template?: string;
  readonly locale?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly tenant?: string;
  readonly correlation?: string;
}

export function isAnyFlagSet(flags: SendFlags): boolean {
  const {
    id,
    channel,
    to,
    subject,
    text,
    html,
    template,
    locale,
    data,
    notBefore,
    notAfter,
    tenant,
    correlation,
  } = flags;
  const all = [
    id,
    channel,
    to,
    subject,
    text,
    html,
    template,
    locale,
    data,
    notBefore,
    notAfter,
    tenant,
    correlation,
  ];
  return all.some((flag) => flag !== undefined);
}

export function inputOfFlags(flags: SendFlags): Readonly<Record<string, unknown>> {
  const { subject, text, html, template, locale } = flags;
  const hasBody = [subject, text, html].some((part) => part !== undefined);
  return {
    notificationId: flags.id,
    channel: flags.channel,
    recipient: flags.to,
    body: hasBody ? { subject, text, html } : undefined,
    template: template === undefined ? undefined : { key: template, locale },
    data: flags.data,
    notBefore: flags.notBefore,
    notAfter: flags.notAfter,
    tenantId: flags.tenant,
    correlationId: flags.correlation,
  };
}
