// The servers as containers, through testcontainers (a development dependency, loaded only here and only when asked).
// Host ports are chosen beforehand: Kafka must advertise its own, and a restarted server must keep it. Testcontainers'
// reaper removes the containers when this process is gone.
import { randomBytes } from 'node:crypto';
import type { ContainerRuntimeClient, GenericContainer } from 'testcontainers';
import {
  IMAGES,
  INNER_PORTS,
  kafkaEnvironment,
  postgresEnvironment,
  REDIS_COMMAND,
  registryEnvironment,
} from './docker-images.ts';
import { type ContainerServer, startContainer } from './docker-server.ts';
import { freePorts } from './free-ports.ts';
import { kafkaIsReady } from './kafka-probe.ts';
import { REGISTRY_PATH } from './native-registry.ts';
import type { ServerHandle, Stack, StackOptions } from './running-stack.ts';
import { postgresIsReady, redisIsReady, registryIsReady } from './server-probes.ts';
import type { DockerPlan } from './stack-plan.ts';
import type { Address } from './tcp-question.ts';

interface Places {
  readonly kafka: Address;
  readonly registry: Address;
  readonly postgres: Address;
  readonly redis: Address;
}

interface Containers {
  readonly kafka: ContainerServer;
  readonly registry: ContainerServer;
  readonly postgres: ContainerServer;
  readonly redis: ContainerServer | null;
}

interface Needs {
  readonly client: ContainerRuntimeClient;
  readonly password: string;
  readonly withRedis: boolean;
  imageOf(name: ServerHandle['name']): GenericContainer;
}

const PASSWORD_BYTES = 18;

/** @throws anything that Docker or testcontainers throw; what had started by then is removed. */
export async function startDockerStack(options: StackOptions, plan: DockerPlan): Promise<Stack> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const client = await getContainerRuntimeClient();
  const places = await choosePlaces(client.info.containerRuntime.host);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  options.say('starting containers; their images are pulled once');
  const containers = await startContainers(places, {
    client,
    password,
    withRedis: options.redis === true,
    imageOf: (name) => new GenericContainer(IMAGES[name]),
  });
  const all = Object.values(containers).filter((one): one is ContainerServer => one !== null);
  options.say('servers answer');
  return {
    how: 'docker',
    why: plan.why,
    kafkaBrokers: [hostAndPort(places.kafka)],
    registryUrl: registryUrl(places.registry),
    databaseUrl: `postgres://pin:${password}@${hostAndPort(places.postgres)}/postgres`,
    redisUrl: containers.redis === null ? null : `redis://${hostAndPort(places.redis)}`,
    servers: {
      kafka: containers.kafka.server,
      registry: containers.registry.server,
      postgres: containers.postgres.server,
      redis: containers.redis?.server ?? null,
    },
    async stop() {
      await Promise.all(all.map((one) => one.remove()));
    },
  };
}

async function startContainers(at: Places, needs: Needs): Promise<Containers> {
  const started: ContainerServer[] = [];
  const start = async (
    name: ServerHandle['name'],
    isReady: () => Promise<boolean>,
    environment: Record<string, string>,
    command?: string[],
  ): Promise<ContainerServer> => {
    const container = needs
      .imageOf(name)
      .withExposedPorts({ container: INNER_PORTS[name], host: at[name].port })
      .withEnvironment(environment);
    if (command !== undefined) container.withCommand(command);
    const server = await startContainer(needs.client, { name, container, isReady });
    started.push(server);
    return server;
  };
  const waiting = [
    start('kafka', () => kafkaIsReady(at.kafka), kafkaEnvironment(hostAndPort(at.kafka))),
    start('registry', () => registryIsReady(registryUrl(at.registry)), registryEnvironment()),
    start('postgres', () => postgresIsReady(at.postgres), postgresEnvironment(needs.password)),
    needs.withRedis ? start('redis', () => redisIsReady(at.redis), {}, REDIS_COMMAND) : Promise.resolve(null),
  ] as const;
  try {
    const [kafka, registry, postgres, redis] = await Promise.all(waiting);
    return { kafka, registry, postgres, redis };
  } catch (error) {
    await Promise.allSettled(waiting);
    await Promise.allSettled(started.map((one) => one.remove()));
    throw error;
  }
}

async function choosePlaces(host: string): Promise<Places> {
  const [kafka = 0, registry = 0, postgres = 0, redis = 0] = await freePorts(4);
  return {
    kafka: { host, port: kafka },
    registry: { host, port: registry },
    postgres: { host, port: postgres },
    redis: { host, port: redis },
  };
}

function registryUrl(at: Address): string {
  return `http://${hostAndPort(at)}${REGISTRY_PATH}`;
}

function hostAndPort(at: Address): string {
  return `${at.host}:${at.port}`;
}
