// Seeded bugs that the simulator did not meet in 20,000 schedules, and the fast suites that must catch each.

export const FAST_BUGS = [
  {
    name: 'a late acceptance ends a row whose call is in flight',
    suites: ['test/unit/domain/settle-late.test.ts'],
    edits: [
      [
        'domain/sent.ts',
        "if (!isKnown && row.claim === null && row.status !== 'Sent')",
        "if (!isKnown && row.status !== 'Sent')",
      ],
    ],
  },
  {
    name: 'a webhook leaves its parking place before it is a record',
    suites: ['test/unit/topology/webhooks.test.ts'],
    edits: [
      [
        'topology/message-join.ts',
        '  if (webhooks.length === 0) return;\n',
        '  if (webhooks.length === 0) return;\n  await engine.store.unpark(webhooks.map(({ eventId }) => eventId));\n',
      ],
    ],
  },
  {
    name: 'a mark takes the wake-up of a row that was reopened',
    suites: ['test/contract/state/memory-interleavings.test.ts'],
    edits: [
      [
        'state/applied-change.ts',
        'const isSettled = before.final !== null && before.outcomeSeq === outcomeSeq;',
        'const isSettled = outcomeSeq > 0;',
      ],
    ],
  },
  {
    name: 'a safe key elsewhere ends the doubt about calls that were given up',
    suites: ['test/unit/domain/unknown.test.ts'],
    edits: [
      [
        'domain/unknown.ts',
        'const isResent = mark.isResent === true;',
        'const isResent = mark.isResent === true && row.version < 0;',
      ],
    ],
  },
  {
    name: 'a report beside a claim that names no attempt is about the call of the claim',
    suites: ['test/unit/domain/doubt-left.test.ts'],
    edits: [
      [
        'domain/webhook.ts',
        'if (doubt?.providerKey === provider) return',
        'if (doubt?.providerKey === provider && row.claim === null) return',
      ],
    ],
  },
  {
    name: 'a message of an earlier cycle ends the doubt about the call of this one',
    suites: ['test/unit/domain/doubt-and-cycles.test.ts'],
    edits: [['domain/doubt-left.ts', 'call.cycle !== row.cycle || (row', 'call.cycle < 0 || (row']],
  },
  {
    name: 'a failed report hurries an attempt whose wait the provider asked for',
    suites: ['test/unit/domain/webhook-which-message.test.ts'],
    edits: [['domain/sent.ts', 'error, plannedInMs, facts', 'error, 0 * plannedInMs, facts']],
  },
  {
    name: 'an assumed end that was reopened stays open for ever',
    suites: ['test/unit/domain/message-of-which-call.test.ts'],
    edits: [
      [
        'domain/sent.ts',
        'if (outcome?.isUncertain !== true || nextCycle === cycle) return outcome;',
        'if (outcome?.isUncertain !== true || nextCycle >= cycle) return outcome;',
      ],
    ],
  },
  {
    name: 'what was reopened in doubt is told of in its new cycle only',
    suites: ['test/unit/domain/message-of-which-call.test.ts'],
    edits: [
      [
        'domain/sent.ts',
        'if (unknown !== null) return { ...outcome, wasRedrivenInDoubt: true };',
        'if (unknown !== null) return outcome;',
      ],
    ],
  },
  {
    name: 'a report of a replaced message answers a later call',
    suites: ['test/unit/domain/message-of-which-call.test.ts'],
    edits: [
      [
        'domain/webhook.ts',
        'return answers !== null && replaces && webhook.attempt === null && before.attempts > 1;',
        'return replaces && before.attempts < 0;',
      ],
    ],
  },
];
