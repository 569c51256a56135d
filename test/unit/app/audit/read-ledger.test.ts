import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readLedgerMessages } from '../../../../src/app/audit/read-ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'pin-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function messagesIn(text: string) {
  const file = join(folder, 'ledger.jsonl');
  writeFileSync(file, text);
  const found: string[] = [];
  await readLedgerMessages(file, (reference, cycle) => found.push(`${reference}:${cycle}`));
  return found;
}

const line = (reference: string, outcome: string) => `${JSON.stringify({ reference, cycle: 0, outcome })}\n`;

it('counts what was delivered, not repeats and refusals', async () => {
  const text =
    line('a', 'delivered') + line('a', 'repeat-of') + line('b', 'rejected') + line('c', 'delivered');
  expect(await messagesIn(text)).toEqual(['a:0', 'c:0']);
});

it('leaves out a last line that a kill has cut', async () => {
  expect(await messagesIn(`${line('a', 'delivered')}{"reference":"b","cy`)).toEqual(['a:0']);
});

it('refuses a file that is no ledger, and one that is not there', async () => {
  await expect(messagesIn(`not JSON\n${line('a', 'delivered')}`)).rejects.toThrow('line 1 of the ledger');
  await expect(readLedgerMessages(join(folder, 'none'), () => undefined)).rejects.toThrow('cannot be read');
});
