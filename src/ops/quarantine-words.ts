// Why something is in quarantine, in words for whoever finds it there.

const WORDS: Readonly<Record<string, string>> = {
  'late-answer':
    'A provider answered after its notification had been purged. The answer is kept for people; nothing waits for it.',
  'row-refused':
    'Postgres refused this version of one row. The row stays as it was, and its record counts as done.',
  'webhook-unmatched': 'A report about a message that nobody here knew, for as long as reports are kept.',
  'deadly-record':
    'Three processes in a row died with it in flight, the last with nothing else. Its notification is left alone until it is replayed.',
  'handling-failed': 'Our own handling of this record failed for good; the detail names the fault.',
  undecodable: 'Its bytes cannot be read as what its topic carries.',
};

/** One sentence or two; any other reason is a contract that the record broke. */
export function quarantineWords(reason: string): string {
  return WORDS[reason] ?? `The record breaks the contract of its topic (${reason}).`;
}
