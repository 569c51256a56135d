// No attempt starts before its time, whatever the waits are and however wrong the clock of the process is; and none is forgotten.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';
import { SCRIPTED_FACTS, scriptedProvider } from '../../../src/providers/scripted/scripted-provider.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { startTestDriver } from '../../../src/topology/test-driver.ts';
import { aRequest } from '../../support/a-notification.ts';

const MINUTE_MS = 60_000;
/** How late a start may be: the smallest tier, and a moment. */
const LATEST_MS = 2_000;

/** A process whose clock is wrong by `offMs`; log and store have the right time. */
const wrongBy = (clock: Clock, offMs: number): Clock => ({ ...clock, nowMs: () => clock.nowMs() + offMs });

test('retries start at their time or a moment later, never before', async () => {
  const waits = fc.array(fc.integer({ min: 0, max: 25 * MINUTE_MS }), { minLength: 1, maxLength: 4 });
  const runs = fc.record({
    waits,
    offMs: fc.constantFrom(0, -5 * MINUTE_MS, 5 * MINUTE_MS, 777),
    notBeforeMs: fc.option(fc.integer({ min: 1, max: 40 * MINUTE_MS })),
  });
  await fc.assert(
    fc.asyncProperty(runs, async ({ waits: all, offMs, notBeforeMs }) => {
      const calledAtMs: number[] = [];
      let nowMs: () => number = () => 0;
      const mail = scriptedProvider(SCRIPTED_FACTS, {
        rule: () => {
          calledAtMs.push(nowMs());
          const retryAfterMs = all[calledAtMs.length - 1];
          return retryAfterMs === undefined
            ? null
            : { kind: 'rate-limited', retryAfterMs, scope: 'message', providerCode: null };
        },
      });
      const driver = await startTestDriver({
        providers: [mail],
        channels: [
          {
            ...defaultChannelConfig('email', 'scripted'),
            maxAttempts: 9,
            backoff: { kind: 'fixed', baseMs: 0, capMs: 0, jitter: 0 },
          },
        ],
        settings: { commitPeriodMs: 60_000, channelPollMs: 20_000 },
        around: (ports) => ({ ...ports, clock: wrongBy(ports.clock, offMs) }),
      });
      nowMs = driver.time.clock.nowMs;
      const startMs = nowMs();
      const notBefore = notBeforeMs === null ? null : startMs + notBeforeMs;
      await driver.request(aRequest({ notBeforeMs: notBefore }));
      const waitedMs = all.reduce((sum, waitMs) => sum + waitMs + LATEST_MS, (notBeforeMs ?? 0) + LATEST_MS);
      await driver.time.advance(waitedMs);
      expect(calledAtMs).toHaveLength(all.length + 1);
      for (const [attempt, atMs] of calledAtMs.entries()) {
        const before = calledAtMs[attempt - 1];
        const dueMs = before === undefined ? (notBefore ?? startMs) : before + (all[attempt - 1] ?? 0);
        expect(atMs).toBeGreaterThanOrEqual(dueMs);
        expect(atMs).toBeLessThanOrEqual(dueMs + LATEST_MS);
      }
      expect(mail.messages).toHaveLength(1);
    }),
    { numRuns: 20 },
  );
}, 60_000);
