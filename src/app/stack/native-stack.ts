// The servers as child processes of this one: Kafka, the registry and Redis from the archives, Postgres from npm or
// the system. All start at the same time; the slowest decides.
import { freePorts } from './free-ports.ts';
import { nativeKafka } from './native-kafka.ts';
import { startNativePostgres } from './native-postgres.ts';
import { findRedis, nativeRedis } from './native-redis.ts';
import { nativeRegistry, REGISTRY_PATH } from './native-registry.ts';
import type { Stack, StackOptions } from './running-stack.ts';
import { fetchArchives } from './server-archives.ts';
import type { NativePlan } from './stack-plan.ts';
import { openRun, type StackRun } from './stack-run.ts';
import { StackUnavailable } from './stack-unavailable.ts';

const HEARTBEAT_MS = 5_000;

/** @throws StackUnavailable, Fault; what had started by then is ended. */
export async function startNativeStack(options: StackOptions, plan: NativePlan): Promise<Stack> {
  const run = openRun(options.cacheFolder);
  try {
    if (plan.mvn !== null)
      await fetchArchives({ run, ...options, java: plan.java, mvn: plan.mvn }, plan.archives);
    return await startAll(run, options, plan);
  } catch (error) {
    run.close();
    throw error;
  }
}

async function startAll(run: StackRun, options: StackOptions, plan: NativePlan): Promise<Stack> {
  const { environment } = options;
  const [broker = 0, controller = 0, registryPort = 0, redisPort = 0] = await freePorts(4);
  const jvm = { run, java: plan.java, archives: plan.archives, environment };
  const kafka = nativeKafka(jvm, { broker, controller });
  const registry = nativeRegistry(jvm, registryPort);
  const redis =
    options.redis === true ? nativeRedis({ run, environment }, redisProgram(options, plan), redisPort) : null;
  const progress = startProgress(options.say);
  const [postgres] = await Promise.all([
    progress.of('postgres', startNativePostgres({ run, environment }, plan.postgres)),
    progress.of('kafka', kafka.server.start()),
    progress.of('registry', registry.server.start()),
    ...(redis === null ? [] : [progress.of('redis', redis.start())]),
  ]).finally(progress.end);
  progress.sayReady();
  return {
    how: 'native',
    why: plan.why,
    kafkaBrokers: [`127.0.0.1:${broker}`],
    registryUrl: `http://127.0.0.1:${registryPort}${REGISTRY_PATH}`,
    databaseUrl: postgres.databaseUrl,
    redisUrl: redis === null ? null : `redis://127.0.0.1:${redisPort}`,
    servers: { kafka: kafka.server, registry: registry.server, postgres: postgres.server, redis },
    async stop() {
      // Only a JVM that writes its class archive on the way out gets the time; the data is thrown away anyway.
      const writers = [kafka, registry].filter((one) => one.classes.isBeingMade);
      await Promise.all(writers.map((one) => one.server.stop()));
      run.close();
    },
  };
}

function redisProgram(options: StackOptions, plan: NativePlan): string {
  const program = findRedis(options.environment, plan.archives);
  if (program === null)
    throw new StackUnavailable(['redis-server'], ['apt-get install redis-server', 'start Docker']);
  return program;
}

interface Progress {
  of<T>(name: string, started: Promise<T>): Promise<T>;
  sayReady(): void;
  end(): void;
}

function startProgress(say: (line: string) => void): Progress {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  const waiting = new Set<string>();
  const ready: string[] = [];
  const heartbeat = setInterval(
    () => say(`waiting for ${[...waiting].join(', ')} (${seconds()} s)`),
    HEARTBEAT_MS,
  );
  return {
    async of(name, started) {
      waiting.add(name);
      const answer = await started;
      waiting.delete(name);
      ready.push(`${name} ${seconds()}`);
      return answer;
    },
    sayReady: () => say(`servers answer after ${seconds()} s (${ready.join(', ')})`),
    end: () => clearInterval(heartbeat),
  };
}
