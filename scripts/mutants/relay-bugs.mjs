// Seeded bugs in the relay, and the suites that must catch each. The file's text stands there exactly once.

const RULES = ['test/unit/relay'];
const PROGRESS = ['test/integration/relay/progress.test.ts'];
const OUTBOX = ['test/integration/relay/outbox.test.ts'];
const WHOLE = ['test/integration/relay/relay.test.ts'];

export const RELAY_BUGS = [
  {
    name: 'relay: rows of every type',
    suites: OUTBOX,
    edits: [['relay/outbox-statements.ts', "= 'NotificationRequested'`;", "<> 'nothing'`;"]],
  },
  {
    name: 'relay: an older outcome overwrites a newer one in the source',
    suites: OUTBOX,
    edits: [['relay/outbox-statements.ts', "join(', ')}) < e.at)`;", "join(', ')}) <> e.at)`;"]],
  },
  {
    name: 'relay: a row that ended is condemned',
    suites: [...OUTBOX, ...WHOLE],
    edits: [
      [
        'relay/outbox-statements.ts',
        'where ${id} = e.id and ${isOpen}`',
        'where ${id} = e.id and ${isOpen.length > 0 ? isOurs : isOpen}`',
      ],
    ],
  },
  {
    name: 'relay: a failure is opened again whichever it is',
    suites: OUTBOX,
    edits: [
      [
        'relay/outbox-statements.ts',
        'where ${id} = e.id and ${isOurs} and ${failedAt}::text = e.failed_at returning',
        'where ${id} = e.id and ${isOurs} and e.failed_at is not null returning',
      ],
    ],
  },
  {
    name: 'relay: the newest are looked for without an overlap',
    suites: [...OUTBOX, ...WHOLE],
    edits: [
      [
        'relay/outbox-statements.ts',
        "- $4::float8 * interval '1 millisecond', $2::uuid)`;",
        "- $4::float8 * interval '0 millisecond', $2::uuid)`;",
      ],
    ],
  },
  {
    name: 'relay: a claim is taken over before its time',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-claims.ts',
        'relayed_at is null and due_at <= statement_timestamp()',
        'relayed_at is null',
      ],
    ],
  },
  {
    name: 'relay: two relays take over the same claim',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-claims.ts',
        'order by due_at limit $2::int4 for update skip locked)',
        'order by due_at limit $2::int4)',
      ],
    ],
  },
  {
    name: 'relay: what the log has is given back',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-claims.ts',
        'and id = any($2::uuid[]) and relayed_at is null`',
        'and id = any($2::uuid[])`',
      ],
    ],
  },
  {
    name: 'relay: an acknowledgement that is slower than the outcome waits for ever',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-claims.ts',
        'due_at = case when r.outcome_seq = 0 then',
        'due_at = case when r.outcome_seq >= 0 then',
      ],
    ],
  },
  {
    name: 'relay: an older outcome wins',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-outcomes.ts',
        'where r.id = e.id and r.recipients = 1 and r.outcome_seq < e.seq',
        'where r.id = e.id and r.recipients = 1 and r.outcome_seq <> e.seq',
      ],
    ],
  },
  {
    name: 'relay: a row is final when its first recipient is',
    suites: PROGRESS,
    edits: [
      ['relay/progress-outcomes.ts', 'having bool_and(outcome_seq > 0))', 'having bool_or(outcome_seq > 0))'],
    ],
  },
  {
    name: 'relay: one recipient of many that failed does not count',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-outcomes.ts',
        "outcome_status = case when f.failed > 0 then 'Failed'",
        "outcome_status = case when f.failed = f.size then 'Failed'",
      ],
    ],
  },
  {
    name: 'relay: what was told stands for a later outcome too',
    suites: PROGRESS,
    edits: [
      ['relay/progress-outcomes.ts', 'set stamped_seq = e.seq from', 'set stamped_seq = r.outcome_seq from'],
    ],
  },
  {
    name: 'relay: a missing record is looked for and not sent again',
    suites: [...PROGRESS, ...WHOLE],
    edits: [
      [
        'relay/progress-watch.ts',
        'relayed_at = case when f.is_known then r.relayed_at end',
        'relayed_at = r.relayed_at',
      ],
    ],
  },
  {
    name: 'relay: what was not told yet is forgotten',
    suites: PROGRESS,
    edits: [
      [
        'relay/progress-watch.ts',
        'and stamped_seq = outcome_seq and source',
        'and stamped_seq <= outcome_seq and source',
      ],
    ],
  },
  {
    name: 'relay: a dead row is forgotten before its source is told',
    suites: WHOLE,
    edits: [['relay/batch.ts', '  await outbox.condemn(dead);\n', '']],
  },
  {
    name: 'relay: one recipient of many gets the id of the row',
    suites: [...RULES, ...WHOLE],
    edits: [
      [
        'relay/batch.ts',
        "if (answer.kind === 'records' && answer.ids.length > 1)",
        "if (answer.kind === 'records' && answer.ids.length > 2)",
      ],
    ],
  },
  {
    name: 'relay: a record that was refused counts as sent',
    suites: RULES,
    edits: [
      [
        'relay/send-rows.ts',
        'acknowledged: rows.filter(({ rowId }) => !faults.has(rowId))',
        'acknowledged: rows.filter(({ rowId }) => rowId.length > 0)',
      ],
    ],
  },
  {
    name: 'relay: no look over everything',
    suites: [...RULES, ...WHOLE],
    edits: [
      [
        'relay/look-schedule.ts',
        'return !rules.isOrdered || nowMs >= state.fullAtMs;',
        'return !rules.isOrdered && nowMs >= state.fullAtMs;',
      ],
    ],
  },
  {
    name: 'relay: a role that sees a part of the rows may start',
    suites: RULES,
    edits: [
      [
        'relay/source-checks.ts',
        '    ...hiddenRows(source, facts),\n',
        '    ...hiddenRows(source, { ...facts, isFiltered: false }),\n',
      ],
    ],
  },
  {
    name: 'relay: a reader that was filtered later goes on',
    suites: OUTBOX,
    edits: [
      [
        'relay/postgres-outbox.ts',
        'facts.isFiltered ? SESSION_SETTINGS :',
        'facts.columns.size > 0 ? SESSION_SETTINGS :',
      ],
    ],
  },
];
