// Asks a broker, in its own protocol, whether consumer groups work yet. Metadata alone comes seconds earlier, and a
// client that joins a group then is told "coordinator not available" or "loading" and logs errors.
import { type Address, askOverTcp } from './tcp-question.ts';

const FIND_COORDINATOR = 10;
const DESCRIBE_GROUPS = 15;
const COORDINATOR_LOADING = 14;
const COORDINATOR_NOT_AVAILABLE = 15;
/** Spread over all partitions of the offsets topic, so that none is still loading. */
const PROBED_GROUPS = Array.from({ length: 16 }, (_, i) => `pin.readiness-probe-${i}`);

/** True when the group coordinator is there and has loaded. The first question makes the broker create its offsets topic. */
export async function kafkaIsReady(address: Address): Promise<boolean> {
  const found = await ask(address, FIND_COORDINATOR, text(PROBED_GROUPS[0] ?? ''));
  if (found === null || found.readInt16BE(0) !== 0) return false;
  const described = await ask(address, DESCRIBE_GROUPS, list(PROBED_GROUPS));
  if (described === null) return false;
  return groupErrors(described).every(
    (code) => code !== COORDINATOR_LOADING && code !== COORDINATOR_NOT_AVAILABLE,
  );
}

/** Version 0 of both requests; the answer without its length and correlation id. */
async function ask(address: Address, apiKey: number, body: Buffer): Promise<Buffer | null> {
  const header = Buffer.alloc(8);
  header.writeInt16BE(apiKey, 0);
  const request = Buffer.concat([header, text('pin-probe'), body]);
  const answer = await askOverTcp(address, Buffer.concat([int32(request.length), request]), isWholeFrame);
  return answer === null ? null : answer.subarray(8);
}

function isWholeFrame(received: Buffer): boolean {
  return received.length >= 8 && received.length >= 4 + received.readInt32BE(0);
}

/** Error codes of a DescribeGroups answer: (code, id, state, protocol type, protocol, members) each. */
function groupErrors(answer: Buffer): number[] {
  const codes: number[] = [];
  let at = 4;
  for (let left = answer.readInt32BE(0); left > 0; left -= 1) {
    codes.push(answer.readInt16BE(at));
    at += 2;
    for (let strings = 4; strings > 0; strings -= 1) at += 2 + Math.max(0, answer.readInt16BE(at));
    if (answer.readInt32BE(at) > 0) return codes;
    at += 4;
  }
  return codes;
}

function list(values: readonly string[]): Buffer {
  return Buffer.concat([int32(values.length), ...values.map(text)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
