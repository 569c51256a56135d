import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { kafkaIsReady } from '../../../../src/app/stack/kafka-probe.ts';
import type { Address } from '../../../../src/app/stack/tcp-question.ts';

const FIND_COORDINATOR = 10;
const NONE = 0;
const COORDINATOR_LOADING = 14;
const COORDINATOR_NOT_AVAILABLE = 15;
const NOT_COORDINATOR = 16;

describe('whether a broker is ready for consumer groups', () => {
  let broker: Server | null = null;
  afterEach(() => broker?.close());

  async function aBroker(codes: { found: number; described: number[] }): Promise<Address> {
    broker = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        const body =
          request.readInt16BE(4) === FIND_COORDINATOR ? int16(codes.found) : describedGroups(codes.described);
        const answer = Buffer.concat([request.subarray(8, 12), body]);
        socket.write(Buffer.concat([int32(answer.length), answer]));
      });
    });
    const listening = broker;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address();
    return { host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
  }

  it('is ready when the coordinator is known and none of its groups is loading', async () => {
    expect(await kafkaIsReady(await aBroker({ found: NONE, described: [NONE, NONE] }))).toBe(true);
  });

  it('is not ready while there is no coordinator', async () => {
    expect(await kafkaIsReady(await aBroker({ found: COORDINATOR_NOT_AVAILABLE, described: [NONE] }))).toBe(
      false,
    );
  });

  it('is not ready while one partition of the offsets is still loading', async () => {
    expect(await kafkaIsReady(await aBroker({ found: NONE, described: [NONE, COORDINATOR_LOADING] }))).toBe(
      false,
    );
  });

  it('a group that lives on another broker does not count against it', async () => {
    expect(await kafkaIsReady(await aBroker({ found: NONE, described: [NOT_COORDINATOR] }))).toBe(true);
  });

  it('is not ready when nobody listens', async () => {
    const address = await aBroker({ found: NONE, described: [] });
    broker?.close();
    expect(await kafkaIsReady(address)).toBe(false);
  });
});

function describedGroups(codes: readonly number[]): Buffer {
  const strings = Buffer.concat([
    int16(2),
    Buffer.from('ab'),
    int16(4),
    Buffer.from('Dead'),
    int16(0),
    int16(0),
  ]);
  const groups = codes.map((code) => Buffer.concat([int16(code), strings, int32(0)]));
  return Buffer.concat([int32(codes.length), ...groups]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
