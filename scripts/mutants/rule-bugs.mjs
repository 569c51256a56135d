// Seeded bugs in the rules for attempts, doubts and ends.

export const RULE_BUGS = [
  {
    name: 'one attempt more than MaxAttempts',
    edits: [
      [
        'domain/failure.ts',
        'if (row.attempts >= policy.maxAttempts)',
        'if (row.attempts > policy.maxAttempts)',
      ],
      [
        'domain/plan.ts',
        'shown.attempts >= facts.config.maxAttempts',
        'shown.attempts > facts.config.maxAttempts',
      ],
    ],
  },
  {
    name: 'one attempt less than MaxAttempts',
    edits: [
      [
        'domain/failure.ts',
        'if (row.attempts >= policy.maxAttempts)',
        'if (row.attempts + 1 >= policy.maxAttempts)',
      ],
    ],
  },
  {
    name: 'no check for final',
    edits: [['domain/plan.ts', "  if (row.final !== null) return { kind: 'drop', reason: 'final' };\n", '']],
  },
  {
    name: 'unknown treated as retriable',
    edits: [
      [
        'domain/settle.ts',
        "    case 'unknown':\n      return settleUnknown(",
        "    case 'unknown':\n      if (row.version > 0) return failAttempt(answered, transientError(outcome.providerCode), 0, facts);\n      return settleUnknown(",
      ],
    ],
  },
  {
    name: 'a lost wake-up is never repeated',
    edits: [
      [
        'domain/sweep-schedule.ts',
        'return stepsPassed(row, overdueMs) > before;',
        'return stepsPassed(row, overdueMs) > before && row.wakeAtMs < 0;',
      ],
    ],
  },
  {
    name: 'taken over before the lease is over',
    edits: [
      [
        'domain/plan.ts',
        '  if (leftMs > 0)\n    return wakeSeq',
        '  if (leftMs > (row.claim === null ? 0 : 9_000))\n    return wakeSeq',
      ],
    ],
  },
  {
    name: 'taken over without end',
    edits: [['domain/rule-facts.ts', 'MAX_TAKEOVERS = 3', 'MAX_TAKEOVERS = 300']],
  },
  {
    name: 'a channel that is off is called',
    edits: [['domain/plan.ts', "  if (!config.isEnabled) return 'channel-disabled';\n", '']],
  },
  {
    name: 'a misconfigured provider uses attempts',
    edits: [
      [
        'domain/settle.ts',
        'attempts: claim.takeovers > 0 ? row.attempts : row.attempts - 1',
        'attempts: claim.takeovers > 0 ? row.attempts : row.attempts',
      ],
    ],
  },
  {
    name: 'Retry-After is bounded by the backoff',
    edits: [
      [
        'domain/failure.ts',
        'const waitMs = Math.max(backoffWaitMs, minWaitMs + Math.min(spreadMs, policy.backoff.baseMs));',
        'const waitMs = Math.max(backoffWaitMs, Math.min(minWaitMs + spreadMs, policy.backoff.capMs));',
      ],
    ],
  },
  {
    name: 'notBefore is not waited for',
    edits: [
      [
        'domain/plan.ts',
        'if (row.notBeforeMs !== null && row.notBeforeMs > facts.nowMs)',
        'if (row.notBeforeMs !== null && row.notBeforeMs > facts.nowMs + 5_000)',
      ],
    ],
  },
  {
    name: 'a late refusal ends whatever row is there',
    edits: [
      [
        'domain/settle.ts',
        "if (isTheDoubt && outcome.kind === 'refused')",
        "if ((isTheDoubt || row.claim === null) && outcome.kind === 'refused')",
      ],
    ],
  },
  {
    name: 'what is held in doubt is sent again',
    edits: [
      [
        'domain/plan.ts',
        "    case 'held': {\n",
        "    case 'held': {\n      if (row.attempts < policyOf(row.channel, facts).maxAttempts) return planAttempt(row, facts);\n",
      ],
    ],
  },
  {
    name: 'a look-up is believed before the message can be seen',
    edits: [
      [
        'domain/unknown.ts',
        'Math.max(0, lost.leaseEndMs + provider.visibilityDelayMs - facts.nowMs)',
        'Math.max(0, Math.min(50, lost.leaseEndMs - facts.nowMs))',
      ],
    ],
  },
  {
    name: 'an early absent at notAfter counts',
    edits: [
      [
        'domain/unknown.ts',
        '  if (row.notAfterMs !== null && row.notAfterMs <= facts.nowMs) return expire(row, facts);\n  return failAttempt(',
        '  if (row.notAfterMs === 0) return expire(row, facts);\n  return failAttempt(',
      ],
    ],
  },
  {
    name: 'every refusal forgets the token',
    edits: [
      [
        'domain/push-token.ts',
        "if (channel !== 'push' || outcome?.error?.code !== 'NTF_PUSH_TOKEN_INVALID') return null;",
        "if (channel !== 'push' || outcome?.error?.errorClass == null) return null;",
      ],
    ],
  },
  {
    name: 'an acceptance ends the doubt about a replacing provider’s other calls',
    edits: [
      [
        'domain/doubt-left.ts',
        "if (hasCapability(doubt, 'key', facts)) return true;",
        "if (!hasCapability(doubt, 'none', facts)) return true;",
      ],
    ],
  },
  {
    name: 'absent here ends the doubt about calls that were given up',
    edits: [
      [
        'domain/unknown.ts',
        'return isOlderThanTheLastCall(asked, row) ? {',
        'return isOlderThanTheLastCall(asked, row) && row.version < 0 ? {',
      ],
    ],
  },
];
