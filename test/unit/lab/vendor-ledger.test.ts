import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseVendorAnswer } from '../../../src/lab/vendor-answer.ts';
import { readLedgerFile, type VendorCall, vendorLedger } from '../../../src/lab/vendor-ledger.ts';
import { vendorMemory } from '../../../src/lab/vendor-memory.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';

const folder = mkdtempSync(join(tmpdir(), 'pin-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));

const call = (over: Partial<VendorCall> = {}): VendorCall => ({
  atMs: 1,
  reference: 'r',
  cycle: 1,
  attempt: 1,
  idempotencyKey: 'r:1',
  channel: 'sms',
  recipient: '+1',
  outcome: 'delivered',
  messageId: 'm',
  answer: 'accept',
  ...over,
});

describe('vendorLedger', () => {
  test('a wait ends with the change that makes it true', async () => {
    const ledger = vendorLedger(virtualTime().timers, null);
    const waited = ledger.waitFor((view) => view.totals.repeats === 1);

    ledger.record(call(), null);
    ledger.record(call({ outcome: 'repeat-of' }), null);

    await waited;
    expect(ledger.totals).toMatchObject({ calls: 2, delivered: 1, repeats: 1 });
  });

  test('a wait that never comes true ends at its limit with a Fault', async () => {
    const time = virtualTime();
    const waited = vendorLedger(time.timers, null).waitFor(() => false, 500);
    const failure = expect(waited).rejects.toMatchObject({ code: 'PIN_LAB_WAITED' });

    await time.advance(500);

    await failure;
  });

  test('the file keeps every call, across two lives, and a torn last line is left out', () => {
    const path = join(folder, 'ledger.jsonl');
    for (const reference of ['a', 'b']) {
      const ledger = vendorLedger(virtualTime().timers, path);
      ledger.record(call({ reference }), null);
      ledger.close();
    }
    writeFileSync(path, '{"reference":"to', { flag: 'a' });

    expect(readLedgerFile(path).map((entry) => entry.reference)).toEqual(['a', 'b']);
  });
});

describe('vendorMemory', () => {
  test('a key is known within its window and a new one after it', () => {
    const memory = vendorMemory(1_000);
    memory.remember('k', { messageId: 'm', atMs: 0 });

    expect(memory.recall('k', 999)?.messageId).toBe('m');
    expect(memory.recall('k', 1_000)).toBeNull();
  });
});

describe('parseVendorAnswer', () => {
  test('says what is wrong with an order', () => {
    expect(parseVendorAnswer({ kind: 'hang' })).toEqual({ kind: 'hang' });
    expect(parseVendorAnswer({ kind: 'page', status: '502' })).toBe('page needs status: a number');
    expect(parseVendorAnswer({ kind: 'toString' })).toMatch(/kind must be one of accept/);
    expect(parseVendorAnswer(null)).toMatch(/object/);
  });
});
