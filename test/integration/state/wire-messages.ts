// Cuts what a Postgres client and its server say into messages (PostgreSQL manual, "Message Formats"): one type byte, four bytes of
// length, but for a client's first one, which has no type. Nothing is interpreted beyond what a test must recognise.

const LENGTH_BYTES = 4;
const HEADER_BYTES = 5;

/** Gives whole messages in the order they came; what is not yet whole waits for the next call. */
export type MessageCutter = (bytes: Buffer) => readonly Buffer[];

export function clientMessages(): MessageCutter {
  return cutter(0);
}

export function serverMessages(): MessageCutter {
  return cutter(1);
}

function cutter(firstTypeBytes: number): MessageCutter {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = firstTypeBytes;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < end) break;
      messages.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      typeBytes = 1;
    }
    return messages;
  };
}

export function isSimpleQuery(message: Buffer, text: string): boolean {
  return isOfType(message, 'Q') && message.toString('latin1', HEADER_BYTES) === `${text}\0`;
}

export function simpleQuery(text: string): Buffer {
  const message = Buffer.alloc(HEADER_BYTES + text.length + 1);
  message.write('Q', 'latin1');
  message.writeUInt32BE(LENGTH_BYTES + text.length + 1, 1);
  message.write(text, HEADER_BYTES, 'latin1');
  return message;
}

/** The server answers it, among others, with ReadyForQuery. */
export function asksForReady(message: Buffer): boolean {
  return isOfType(message, 'Q') || isOfType(message, 'S');
}

/** ReadyForQuery: the server has done all it was asked so far. */
export function isReady(message: Buffer): boolean {
  return isOfType(message, 'Z');
}

/** CommandComplete of a COMMIT. */
export function isCommitted(message: Buffer): boolean {
  return isOfType(message, 'C') && message.toString('latin1', HEADER_BYTES) === 'COMMIT\0';
}

function isOfType(message: Buffer, type: string): boolean {
  return message[0] === type.charCodeAt(0);
}
