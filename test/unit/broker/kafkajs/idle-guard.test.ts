import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';
import { calmRequestQueue } from '../../../../src/broker/kafkajs/idle-guard.ts';
import { silentLogger } from '../../../../src/runtime/logger.ts';

interface Queue {
  pending: unknown[];
  throttleCheckTimeoutId: unknown;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}

function queue(): Queue {
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
    options: object,
  ) => Queue;
  return new RequestQueue({
    maxInFlightRequests: null,
    requestTimeout: 1_000,
    logger: { debug: () => undefined },
  });
}

test('the request queue of the pinned client stands still while nothing waits, and only then', () => {
  const before = vi.fn();
  calmRequestQueue({ ...silentLogger, debug: before });
  calmRequestQueue(silentLogger);
  expect(before).not.toHaveBeenCalled();
  const idle = queue();
  idle.checkPendingRequests();
  expect(idle.throttleCheckTimeoutId).toBeNull();
  idle.pending.push({});
  idle.scheduleCheckPendingRequests();
  expect(idle.throttleCheckTimeoutId).not.toBeNull();
  idle.destroy();
});
