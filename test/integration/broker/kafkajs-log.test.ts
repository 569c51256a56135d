import { kafkaLog } from '../../../src/broker/kafkajs/kafka-log.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { pause, systemTimers } from '../../../src/runtime/timers.ts';
import { logContract } from '../../contract/broker/log-contract.ts';
import { realBrokers } from './real-brokers.ts';

logContract('the log on a real broker', () => {
  const deps = { clock: systemClock, timers: systemTimers, logger: silentLogger };
  let processes = 0;
  return Promise.resolve({
    log() {
      processes += 1;
      return kafkaLog(deps, { brokers: realBrokers(), clientId: `contract-${processes}` });
    },
    timing: { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500, maxWaitMs: 100 },
    pass: (durationMs) => pause(systemTimers, durationMs),
    nowMs: systemClock.monotonicMs,
    close: () => Promise.resolve(),
  });
});
