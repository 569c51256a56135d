import { describe, expect, it } from 'vitest';
import { auditBook } from '../../../src/ops/audit-book.ts';
import { aWebhook } from '../../support/a-notification.ts';
import { aRead, aSaying, aScope, aSentRow, told } from './an-audit.ts';

const row = aSentRow();
const { said } = aSaying();
const request = { partition: 0, offset: 4, payloadHash: 'hash', isCommitted: true };

function aBook() {
  const book = auditBook(true);
  book.request(row.id, request);
  book.row(aRead(row));
  book.outcome(row.id, said, 'digest');
  book.outcome(row.id, said, 'digest');
  book.message(row.id, 0);
  return book;
}

describe('the audit’s book', () => {
  it('finds nothing where nothing is wrong, and counts what it saw', () => {
    const book = aBook();
    expect(book.judge(aScope({ isQuiescent: true }))).toEqual([]);
    expect(book.offsets(new Map([[0, 5]]))).toEqual([]);
    expect(book.counts()).toMatchObject({
      ids: 1,
      requests: 1,
      rows: 1,
      outcomes: 1,
      outcomeRecords: 2,
      messages: 1,
    });
  });

  it('brings the findings of every rule', () => {
    const book = aBook();
    book.message(row.id, 0);
    book.outcome(row.id, said, 'other digest');
    book.deadLetter(row.id, { place: '0/1', payloadHash: 'hash' });
    book.row(aRead({ ...row, publishedSeq: 0, wakeAtMs: null }));
    book.request(row.id, { ...request, payloadHash: null });
    const webhook = aWebhook({ notificationId: row.id, providerMessageId: 'm-2' });
    book.webhook(row.id, { webhook, place: '0/3', isCommitted: true, isKept: false });
    expect(told(book.judge(aScope())).map((line) => line.split(':')[0])).toEqual([
      'conservation',
      'S1',
      'S2',
      'S3',
      'S19',
      'S10',
      'S10',
    ]);
  });

  it('sees a committed offset that is ahead of the rows, and where', () => {
    const book = aBook();
    book.request('lost-2', { ...request, offset: 9 });
    book.request('lost-1', { ...request, offset: 6 });
    book.request('under-way', { ...request, offset: 12, isCommitted: false });
    book.request('in-quarantine', { ...request, offset: 5 });
    book.quarantined('in-quarantine');
    expect(told(book.offsets(new Map([[0, 12]])))).toEqual([
      'offsets: 2 requests without a trace, the first at 6',
    ]);
  });

  it('without a ledger asks nothing of it', () => {
    const book = auditBook(false);
    book.request(row.id, request);
    book.row(aRead(row));
    book.outcome(row.id, said, 'digest');
    expect(book.judge(aScope())).toEqual([]);
  });

  it('refuses to grow beyond its limit and says what to do', () => {
    const book = auditBook(false, 1);
    book.request('a', request);
    expect(() => book.request('b', request)).toThrow(/in parts, such as --part 1\/8/);
  });
});
