// A set of servers that somebody else runs, named by PIN_KAFKA_BROKERS, PIN_REGISTRY_URL and PIN_DATABASE_URL.
// Never stops, kills or starts any of them.
import { Fault } from '../../runtime/fault.ts';
import type { ServerHandle, Stack } from './running-stack.ts';
import type { GivenPlan } from './stack-plan.ts';

/** Takes them at their word: a client that cannot connect says so better than a probe without its credentials. */
export function givenStack(plan: GivenPlan): Stack {
  return {
    how: 'given',
    why: plan.why,
    kafkaBrokers: plan.kafkaBrokers,
    registryUrl: plan.registryUrl,
    databaseUrl: plan.databaseUrl,
    redisUrl: plan.redisUrl,
    stop: () => Promise.resolve(),
    servers: {
      kafka: notOurs('kafka'),
      registry: notOurs('registry'),
      postgres: notOurs('postgres'),
      redis: plan.redisUrl === null ? null : notOurs('redis'),
    },
  };
}

function notOurs(name: ServerHandle['name']): ServerHandle {
  const refuse = () =>
    Promise.reject(
      new Fault('PIN_STACK_NOT_OURS', `${name} was given, not started here`, { retriable: false }),
    );
  return { name, stop: refuse, kill: refuse, start: refuse, pid: () => null };
}
