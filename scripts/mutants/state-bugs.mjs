// Seeded bugs in what is committed and what a lost answer means. Bugs in SQL die in the contract suite of the store.

export const STATE_BUGS = [
  {
    name: 'parked webhook overwritten by a second one',
    edits: [
      ['state/memory-parking.ts', 'if (parked.has(webhook.eventId)) return;', ''],
      [
        'state/memory-parking.ts',
        'parked.set(webhook.eventId, {',
        'parked.set(webhook.providerMessageId ?? webhook.eventId, {',
      ],
      [
        'state/memory-parking.ts',
        'for (const eventId of eventIds) parked.delete(eventId);',
        'for (const [key, { webhook }] of [...parked]) if (eventIds.includes(webhook.eventId)) parked.delete(key);',
      ],
    ],
  },
  {
    name: 'no version check on a write',
    edits: [
      [
        'state/memory-database.ts',
        "if (before?.row.version !== write.expectedVersion) return { kind: 'missed' };",
        "if (before === undefined) return { kind: 'missed' };",
      ],
    ],
  },
  {
    name: 'a lost COMMIT is taken for one that held',
    edits: [
      [
        'state/flush-settlement.ts',
        'if (there?.writeToken === writeTokenOf(operation))',
        'if (there !== undefined && writeTokenOf(operation) !== there.row.id)',
      ],
    ],
  },
  {
    name: 'an insert replaces the row that is there',
    edits: [
      [
        'state/memory-database.ts',
        "  if (database.rows.has(change.next.id)) return { kind: 'missed' };\n",
        '',
      ],
    ],
  },
  {
    name: 'a final row whose mark died wakes for ever',
    edits: [
      [
        'state/applied-change.ts',
        'const owesNothing = next.final !== null && publishedSeq === next.outcomeSeq;',
        'const owesNothing = next.final !== null && publishedSeq < 0;',
      ],
    ],
  },
  {
    name: 'a mark stands for every outcome so far',
    edits: [
      [
        'state/applied-change.ts',
        'publishedSeq: Math.max(before.publishedSeq, outcomeSeq),',
        'publishedSeq: Math.max(before.outcomeSeq, outcomeSeq),',
      ],
    ],
  },
  {
    name: 'a token that was registered again goes with the old one',
    edits: [
      [
        'state/memory-push-tokens.ts',
        'known?.tenantId !== token.tenantId || known.registeredAtMs >= sinceMs',
        'known?.tenantId !== token.tenantId || sinceMs < 0',
      ],
    ],
  },
];
