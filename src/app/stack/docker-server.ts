// One server as a container: stopped, killed and started again with the same port and data.
import type { ContainerRuntimeClient, GenericContainer } from 'testcontainers';
import type { ServerHandle } from './running-stack.ts';
import { untilReady } from './until-ready.ts';

export interface ContainerServer {
  readonly server: ServerHandle;
  /** Removes it with its data, whatever state it is in. */
  remove(): Promise<void>;
}

export interface ContainerRecipe {
  readonly name: ServerHandle['name'];
  readonly container: GenericContainer;
  isReady(): Promise<boolean>;
}

/** Covers pulling the image, once, on a slow line. */
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_S = 30;

/** Running and answering. @throws what Docker throws, Fault PIN_STACK_SERVER_FAILED */
export async function startContainer(
  client: ContainerRuntimeClient,
  recipe: ContainerRecipe,
): Promise<ContainerServer> {
  const started = await recipe.container.withStartupTimeout(START_LIMIT_MS).start();
  const container = client.container.getById(started.getId());
  const answers = () => untilReady({ name: recipe.name, isReady: recipe.isReady, ended: () => null });
  const isRunning = async () => (await container.inspect()).State.Running;
  await answers();
  return {
    server: {
      name: recipe.name,
      pid: () => null,
      async stop() {
        if (await isRunning()) await container.stop({ t: STOP_LIMIT_S });
      },
      async kill() {
        if (await isRunning()) await container.kill();
      },
      async start() {
        if (!(await isRunning())) await container.start();
        await answers();
      },
    },
    async remove() {
      await container.remove({ force: true, v: true });
    },
  };
}
