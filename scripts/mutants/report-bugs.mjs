// Seeded bugs in the rules for what comes later: doubts, webhooks, commands, repeated requests.

export const REPORT_BUGS = [
  {
    name: 'a key is trusted beyond its window',
    edits: [
      [
        'domain/unknown.ts',
        'return provider.windowMs === null || endMs - sinceMs < provider.windowMs;',
        'return provider.windowMs === null || endMs - sinceMs < provider.windowMs * 3;',
      ],
    ],
  },
  {
    name: 'a webhook changes a row whose outcome is not published',
    edits: [
      [
        'domain/webhook.ts',
        "  if (owesOutcome(row)) return { kind: 'publish' };",
        "  if (owesOutcome(row) && row.version < 0) return { kind: 'publish' };",
      ],
    ],
  },
  {
    name: 'a failed webhook of another message reopens a Sent row',
    edits: [
      [
        'domain/webhook.ts',
        "  if (row.status === 'Sent') return isCurrent || isAssumedMessage(before, message);",
        "  if (row.status === 'Sent') return isCurrent || isAssumedMessage(before, message) || row.final !== null;",
      ],
      [
        'domain/webhook.ts',
        "const next = row.status === 'Sent' ? otherStanding(row.evidence, message.messageId) : null;",
        'const next = row.version < 0 ? otherStanding(row.evidence, message.messageId) : null;',
      ],
      [
        'domain/sent.ts',
        '  if (other !== null) return acceptMessage(',
        '  if (other !== null && row.cycle < 0) return acceptMessage(',
      ],
    ],
  },
  {
    name: 'a reopened row keeps its cycle',
    edits: [
      [
        'domain/sent.ts',
        "row.unknown.resolution === 'resend' ? row.cycle + 1 : row.cycle;",
        "row.unknown.resolution === 'resend' ? row.cycle : row.cycle;",
      ],
    ],
  },
  {
    name: 'a command is obeyed as often as it comes',
    edits: [
      [
        'domain/command.ts',
        "  if (row.commandIds.includes(command.commandId)) return { kind: 'repeat' };\n",
        '',
      ],
    ],
  },
  {
    name: 'a cancel ends a row whose call is in flight',
    edits: [
      [
        'domain/command.ts',
        "  if (row.claim !== null)\n    return answer(command, 'requested', kept(changed(row, { cancelBy: command.actor })));\n",
        '',
      ],
    ],
  },
  {
    name: 'another tenant’s payload is taken for the same',
    edits: [
      [
        'domain/admission.ts',
        'if (stored.payloadHash !== request.payloadHash || stored.tenantId !== request.tenantId)',
        "if (stored.payloadHash === '' && stored.tenantId !== request.tenantId)",
      ],
    ],
  },
  {
    name: 'the wake-up of an older wait wakes the row',
    edits: [
      [
        'domain/plan.ts',
        '  if (leftMs > 0)\n    return wakeSeq',
        '  if (leftMs > 0 && (row.claim !== null || row.unknown !== null || wakeSeq === row.wakeSeq))\n    return wakeSeq',
      ],
    ],
  },
  {
    name: 'a complaint about one of two calls is no evidence',
    edits: [
      [
        'domain/webhook.ts',
        "isMeant(claim, webhook) || isMeant(unknown, webhook) ? 'either' : null",
        "claim.takeovers < 0 && isMeant(unknown, webhook) ? 'either' : null",
      ],
    ],
  },
  {
    name: 'a report after the end that names no attempt is about the last call',
    edits: [
      [
        'domain/webhook.ts',
        'if (doubt?.providerKey === provider) return',
        'if (doubt?.providerKey === provider && row.final === null) return',
      ],
    ],
  },
  {
    name: 'a report after a forced redrive is about the second call',
    edits: [
      [
        'domain/doubt-left.ts',
        'row.outcome?.wasRedrivenInDoubt === true && !call.isLast',
        'row.attempts < 0 && !call.isLast',
      ],
    ],
  },
  {
    name: 'a complaint beside another message that is Sent is no evidence',
    edits: [
      [
        'domain/webhook.ts',
        'return doubtOf(row) ?? (isOpen ? { attempt, providerKey } : null);',
        'return isOpen ? (doubtOf(row) ?? { attempt, providerKey }) : null;',
      ],
    ],
  },
  {
    name: 'a guess of a report is believed against the call itself',
    edits: [
      [
        'domain/sent.ts',
        'withSource(folded, message) : folded',
        'withSource(folded, { ...message, messageId: `${messageId} ` }) : folded',
      ],
    ],
  },
  {
    name: 'another way to settle a doubt forgets that calls were given up',
    edits: [
      [
        'domain/doubt-left.ts',
        'return { ...doubt, resolution, ...(wasResent(doubt) ? { isResent: true } : {}) };',
        'return { ...doubt, resolution };',
      ],
      ['domain/doubt-left.ts', 'sinceMs, ...(wasResent(unknown) ? { isResent: true } : {}) }', 'sinceMs }'],
      [
        'domain/unknown.ts',
        'const isResent = mark.isResent === true;',
        "const isResent = row.unknown?.resolution === 'resend';",
      ],
    ],
  },
];
