// The servers under test: started here, or taken from the environment when it names them. Knows whose CPU is whose.
import { fileURLToPath } from 'node:url';
import { startStack } from '../dist/app/stack/stack.js';
import { cpuSeconds, cpuSecondsWithChildren, pidListeningOn } from './cpu.mjs';

const CACHE = fileURLToPath(new URL('../.cache', import.meta.url));

export async function openServers(say) {
  const stack = await startStack({ say, environment: process.env, cacheFolder: CACHE });
  const addresses = {
    PIN_KAFKA_BROKERS: stack.kafkaBrokers.join(','),
    PIN_REGISTRY_URL: stack.registryUrl,
    PIN_DATABASE_URL: stack.databaseUrl,
  };
  const broker = pidListeningOn(Number(stack.kafkaBrokers[0].split(':')[1]));
  const postgres = pidListeningOn(Number(new URL(stack.databaseUrl).port));
  return {
    why: stack.why,
    addresses,
    /** CPU seconds so far; null for a server whose process is not on this machine. */
    cpu: () => ({
      broker: broker === null ? null : cpuSeconds(broker),
      postgres: postgres === null ? null : cpuSecondsWithChildren(postgres),
    }),
    stop: () => stack.stop(),
  };
}
