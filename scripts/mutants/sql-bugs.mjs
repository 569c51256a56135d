// Seeded bugs in the SQL of the store, and in what a lost answer of it means, and the suites that must catch each. The file's text stands there exactly once.

const STORE = ['test/integration/state/postgres-store.test.ts'];
const MEETINGS = ['test/integration/state/postgres-interleavings.test.ts'];
const SWEEPS = [...STORE, 'test/integration/state/sweeps.test.ts', ...MEETINGS];
const RETENTION = [...STORE, 'test/integration/state/tombstones.test.ts'];

export const SQL_BUGS = [
  {
    name: 'SQL: no version check on an update',
    suites: STORE,
    edits: [
      ['state/update-rows.ts', 'where n.id = w.id and n.version = w.expected_version', 'where n.id = w.id'],
    ],
  },
  {
    name: 'SQL: an update takes a mark back',
    suites: [...STORE, ...MEETINGS],
    edits: [
      [
        'state/update-rows.ts',
        '  published_seq = greatest(n.published_seq, w.published_seq),',
        '  published_seq = w.published_seq,',
      ],
    ],
  },
  {
    name: 'SQL: a kept wake-up is set anew',
    suites: STORE,
    edits: [
      ['state/update-rows.ts', 'when w.wake_kept then n.wake_at else', 'when false then n.wake_at else'],
    ],
  },
  {
    name: 'SQL: a new wake-up keeps its number',
    suites: STORE,
    edits: [
      [
        'state/update-rows.ts',
        'then n.wake_seq else n.wake_seq + 1 end',
        'then n.wake_seq else n.wake_seq end',
      ],
    ],
  },
  {
    name: 'SQL: a row that was marked meanwhile wakes for ever',
    suites: [...STORE, ...MEETINGS],
    edits: [['state/update-rows.ts', 'case when ${OWES_NOTHING_SQL} then null when', 'case when']],
  },
  {
    name: 'SQL: an outcome keeps the time of the one before',
    suites: STORE,
    edits: [
      [
        'state/update-rows.ts',
        'case when w.outcome_seq > n.outcome_seq then',
        'case when n.outcome_at is null then',
      ],
    ],
  },
  {
    name: 'SQL: a mark takes the wake-up of a row that was reopened',
    suites: [...STORE, ...MEETINGS],
    edits: [
      [
        'state/mark-rows.ts',
        'wake_at = case when n.final is not null and n.outcome_seq = m.seq then null else n.wake_at end',
        'wake_at = null',
      ],
    ],
  },
  {
    name: 'SQL: a late mark lowers the number',
    suites: [...STORE, ...MEETINGS],
    edits: [
      ['state/mark-rows.ts', 'published_seq = greatest(n.published_seq, m.seq)', 'published_seq = m.seq'],
      ['state/mark-rows.ts', 'and (n.published_seq < m.seq or', 'and (n.published_seq <> m.seq or'],
    ],
  },
  {
    name: 'SQL: a lease begins late',
    suites: STORE,
    edits: [
      [
        'state/change-columns.ts',
        "statement_timestamp() + w.wake_wait_ms * interval '1 millisecond'\n       + interval '999 microseconds') end`",
        "statement_timestamp() + w.wake_wait_ms * interval '1 millisecond'\n       - interval '2 milliseconds') end`",
      ],
    ],
  },
  {
    name: 'SQL: the sweep waits for a locked row',
    suites: SWEEPS,
    edits: [
      [
        'state/sweep-queries.ts',
        'order by due.id limit $2::int4 for update of n skip locked',
        'order by due.id limit $2::int4 for update of n',
      ],
    ],
  },
  {
    name: 'SQL: the sweep wakes a claim ahead of its lease',
    suites: SWEEPS,
    edits: [
      [
        'state/sweep-queries.ts',
        'or (not n.wake_in_log and n.claim_token is null and n.final is null))',
        'or not n.wake_in_log)',
      ],
    ],
  },
  {
    name: 'SQL: a wake-up of another wait counts as in the log',
    suites: SWEEPS,
    edits: [
      [
        'state/sweep-queries.ts',
        'where n.id = e.id and n.wake_seq = e.wake_seq and',
        'where n.id = e.id and',
      ],
    ],
  },
  {
    name: 'SQL: a repeated parked webhook replaces the first',
    suites: STORE,
    edits: [
      [
        'state/parked-table.ts',
        'on conflict (event_id) do nothing`',
        'on conflict (event_id) do update set webhook = excluded.webhook`',
      ],
    ],
  },
  {
    name: 'SQL: a message is looked for at every provider',
    suites: STORE,
    edits: [
      [
        'state/parked-table.ts',
        'where provider = $1 and message_id = $2`',
        'where $1::text is not null and message_id = $2`',
      ],
    ],
  },
  {
    name: 'SQL: a change that was not committed names its message',
    suites: STORE,
    edits: [['state/message-refs.ts', 'on n.id = w.id and n.write_token = w.write_token', 'on n.id = w.id']],
  },
  {
    name: 'SQL: what expires while it is parked is forgotten without a trace',
    suites: STORE,
    edits: [
      [
        'state/parked-table.ts',
        "convert_to(webhook::text, 'UTF8') from old\n",
        "convert_to(webhook::text, 'UTF8') from old where false\n",
      ],
    ],
  },
  {
    name: 'SQL: a row is purged by the age of its request alone',
    suites: RETENTION,
    edits: [
      [
        'state/purge-final.ts',
        "and greatest(n.created_at, n.last_attempt_at, n.outcome_at) < ${before('$1')}",
        "and n.created_at < ${before('$1')}",
      ],
    ],
  },
  {
    name: 'SQL: what nobody read is purged like the rest',
    suites: RETENTION,
    edits: [
      [
        'state/purge-final.ts',
        'and not (${SHOWN_SQL} and n.read_at is null',
        'and not (false and ${SHOWN_SQL} and n.read_at is null',
      ],
    ],
  },
  {
    name: 'SQL: a live row whose content is gone is forgotten with the tombstones',
    suites: RETENTION,
    edits: [
      [
        'state/expire-old.ts',
        'where n.id = old.id and n.final is not null and n.published_seq = n.outcome_seq and n.wake_at is null returning',
        'where n.id = old.id returning',
      ],
    ],
  },
  {
    name: 'SQL: an order about a gate keeps its number',
    suites: STORE,
    edits: [
      ['state/control-table.ts', 'change = ${schema}.gates.change + 1', 'change = ${schema}.gates.change'],
    ],
  },
  {
    name: 'a lost COMMIT is taken for one that failed',
    suites: [
      'test/contract/state/memory-interleavings.test.ts',
      'test/integration/state/lost-answers.test.ts',
    ],
    edits: [
      [
        'state/flush-settlement.ts',
        'if (there?.writeToken === writeTokenOf(operation))',
        "if (there?.writeToken === '' && writeTokenOf(operation) === '')",
      ],
    ],
  },
];
