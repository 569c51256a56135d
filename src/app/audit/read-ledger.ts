// A lab vendor's ledger file, line by line: which messages it delivered. A last line cut by a kill is left out.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { VendorCall } from '../../lab/vendor-ledger.ts';
import { Fault, messageOf } from '../../runtime/fault.ts';

/** Calls `onMessage` for each new message. @throws Fault USAGE when the file cannot be read, AUDIT_LEDGER at a line that is no call */
export async function readLedgerMessages(
  filePath: string,
  onMessage: (reference: string, cycle: number) => void,
): Promise<void> {
  const input = createReadStream(filePath, 'utf8');
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (cause) =>
      reject(
        new Fault('USAGE', `the ledger cannot be read: ${messageOf(cause)}`, { retriable: false, cause }),
      ),
    );
  });
  await Promise.race([failed, followLines(input, onMessage)]);
}

async function followLines(
  input: NodeJS.ReadableStream,
  onMessage: (reference: string, cycle: number) => void,
): Promise<void> {
  let held: string | null = null;
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (held !== null) takeLine(held, number, onMessage);
    held = line;
    number += 1;
  }
  // Only the last line may be half a line.
  if (held?.endsWith('}') === true) takeLine(held, number, onMessage);
}

function takeLine(line: string, number: number, onMessage: (reference: string, cycle: number) => void): void {
  if (line === '') return;
  const { outcome, reference, cycle } = parsed(line, number);
  if (outcome === 'delivered' && reference !== undefined && cycle !== undefined) onMessage(reference, cycle);
}

function parsed(line: string, number: number): Partial<VendorCall> {
  try {
    return JSON.parse(line) as Partial<VendorCall>;
  } catch (cause) {
    throw new Fault('AUDIT_LEDGER', `line ${number} of the ledger is no JSON`, { retriable: false, cause });
  }
}
