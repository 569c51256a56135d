// Seeded bugs in what carries the rules out: fences, publishing, permits, joining.

export const TOPOLOGY_BUGS = [
  {
    name: 'no claim before the call',
    edits: [
      [
        'topology/call.ts',
        '    const committed = await commitChange(engine, subject, plan.claim);',
        '    const early = { ...plan.claim.next, version: 0 } as Notification;\n    if (early.claim !== null) void callOnce(engine, early, early.claim, subject.content, fence, permit);\n    const committed = await commitChange(engine, subject, plan.claim);',
      ],
    ],
  },
  {
    name: 'input offset done before the row',
    edits: [
      [
        'topology/taken-record.ts',
        '  const turn = () => turnOf(engine, source, record);',
        '  taken.watermark.done(record.offset);\n  const turn = () => turnOf(engine, source, record);',
      ],
    ],
  },
  {
    name: 'a new idempotency key per attempt',
    edits: [['topology/call.ts', '`${row.id}:${row.cycle}`,', '`${row.id}:${row.cycle}:${claim.attempt}`,']],
  },
  {
    name: 'the idempotency key without the cycle',
    edits: [['topology/call.ts', '`${row.id}:${row.cycle}`,', '`${row.id}:0`,']],
  },
  {
    name: 'a claim may be sent however old it is',
    edits: [
      [
        'topology/claim-fence.ts',
        'ageMs + deadlineMs < leaseMs',
        'ageMs + deadlineMs < Number.MAX_VALUE && leaseMs > 0',
      ],
    ],
  },
  {
    name: 'a released claim is sent all the same',
    edits: [
      [
        'topology/claim-fence.ts',
        "if (state !== 'unsent') return false;",
        "if (state === 'sending') return false;",
      ],
    ],
  },
  {
    name: 'the age of a claim counts from its commit',
    edits: [
      [
        'topology/call.ts',
        '    const answer = await callOnce(engine, row, row.claim, subject.content, fence, permit);',
        '    const late = claimFence(engine.clock, engine.settings.leaseMs, provider.facts.deadlineMs);\n    const answer = await callOnce(engine, row, row.claim, subject.content, late, permit);',
      ],
    ],
  },
  {
    name: 'an answer changes a row whose outcome is not published',
    edits: [
      [
        'topology/fold.ts',
        '    if (owesOutcome(current.row))',
        '    if (owesOutcome(current.row) && current.row.version < 0)',
      ],
    ],
  },
  {
    name: 'marked before the log has it',
    edits: [
      [
        'topology/obligations.ts',
        '  if (engine.topics.writesDispatched)\n    await',
        '  engine.store.mark(row.id, row.outcomeSeq);\n  if (engine.topics.writesDispatched)\n    await',
      ],
    ],
  },
  {
    name: 'an outcome that was not acknowledged counts as published',
    edits: [
      [
        'topology/obligations.ts',
        '    await produce(engine, dispatchedRecord(engine.topics, engine.codec, row, content));',
        '    void produce(engine, dispatchedRecord(engine.topics, engine.codec, row, content)).catch(() => undefined);',
      ],
    ],
  },
  {
    name: 'a stale answer is thrown away',
    edits: [
      [
        'topology/fold.ts',
        "    if (committed.kind === 'quarantined') return null;",
        "    if (committed.kind === 'quarantined' || committed.kind === 'lost-race') return null;",
      ],
    ],
  },
  {
    name: 'called without a permit',
    edits: [
      [
        'topology/advance.ts',
        "    return plan.kind === 'send'\n",
        "    permit.release();\n    return plan.kind === 'send'\n",
      ],
    ],
  },
  {
    name: 'who claimed ahead does not wait for a place',
    edits: [
      [
        'topology/places.ts',
        '          if (pace.calling() >= places) return new Promise((go) => void claimed.set(call, go));\n',
        '',
      ],
    ],
  },
  {
    name: 'a place is not passed on to who claimed ahead',
    edits: [['topology/places.ts', '          seat();\n', '          if (claimed.size > places) seat();\n']],
  },
  {
    name: 'a permit is not given back',
    edits: [
      ['topology/call.ts', '    permit.release();\n', ''],
      [
        'topology/advance.ts',
        '  } finally {\n    permit.release();\n  }',
        '  } finally {\n    engine.stopping.throwIfAborted();\n  }',
      ],
    ],
  },
  {
    name: 'notAfter is not asked again at the first byte',
    edits: [
      [
        'topology/call.ts',
        'engine.storeClock.nowMs() >= row.notAfterMs',
        'engine.storeClock.nowMs() >= row.notAfterMs * 2',
      ],
    ],
  },
  {
    name: 'the watermark jumps over unfinished records',
    edits: [
      [
        'topology/watermark.ts',
        '      finished.add(offset);\n',
        '      finished.add(offset);\n      reached = Math.max(reached ?? 0, offset + 1);\n',
      ],
    ],
  },
  {
    name: 'a slow reading of the store’s clock counts',
    edits: [
      [
        'topology/store-clock.ts',
        'if (!isKnown || wayMs <= QUICK_MS || !isPossible)',
        'if (!isKnown || wayMs >= 0 || !isPossible)',
      ],
    ],
  },
  {
    name: 'a parked webhook is never joined by the sweeper',
    edits: [
      [
        'topology/message-join.ts',
        '    const page = await engine.store.joinable(PAGE_WEBHOOKS);',
        '    const page = (await engine.store.joinable(PAGE_WEBHOOKS)).slice(0, 0);',
      ],
    ],
  },
  {
    name: 'a member that returns commits below where its successor came',
    edits: [
      [
        'broker/commit-floor.ts',
        'floor !== undefined && at.offset >= floor',
        'floor === undefined || at.offset >= 0',
      ],
    ],
  },
  {
    name: 'a commit counts for whatever watermark is there now',
    edits: [
      [
        'topology/task.ts',
        'const watermark = buffer.watermark();',
        'const watermark = { ...buffer.watermark(), committed: (offset: number) => buffer.watermark().committed(offset) };',
      ],
    ],
  },
  {
    name: 'a recipient is written to the log',
    edits: [
      [
        'topology/subject.ts',
        'const facts = { notification_id: id, channel, version, ...causeFacts(content) };',
        'const facts = { notification_id: id, channel, version, detail: content.request.recipient, ...causeFacts(content) };',
      ],
    ],
  },
  {
    name: 'an invalid token is kept in the first cycle',
    edits: [
      [
        'topology/invalid-token.ts',
        'if (invalid === null) return;',
        'if (invalid === null || row.cycle === 0) return;',
      ],
    ],
  },
  {
    name: 'what a stop leaves with the log is overtaken by the next of its key',
    edits: [['topology/taken-record.ts', '        left.add(laneKey);\n', '']],
  },
];
