// The log of a simulation: one broker, and for each process a client of its own that dies and freezes with it.
import type { Log } from '../../broker/log.ts';
import { Fault } from '../../runtime/fault.ts';
import type { Topics } from '../../streams/topics.ts';
import type { Incarnation } from '../incarnation.ts';
import { answer, send, type World } from '../world.ts';
import { type SimulatedConsumer, simulatedConsumer } from './consumer.ts';
import { type Group, simulatedGroup } from './group.ts';
import { openPartitions, type Partitions } from './partitions.ts';
import { simulatedProducer } from './producer.ts';

export interface SimulatedBroker {
  readonly partitions: Partitions;
  readonly group: Group;
  /** The log as `process` sees it. */
  clientOf(process: Incarnation): Log;
  /** Consumers of processes that are not dead. */
  consumers(): readonly SimulatedConsumer[];
}

export function simulatedBroker(world: World, topics: Topics, partitionCount: number): SimulatedBroker {
  const names = topics.contracts.map(({ topic }) => topic);
  const partitions = openPartitions(world.time, names, partitionCount);
  const group = simulatedGroup(world, partitionCount);
  const consumers: { readonly process: Incarnation; readonly consumer: SimulatedConsumer }[] = [];
  partitions.onAppend((at) => {
    for (const { consumer } of consumers) consumer.reading.wake(at);
  });
  const nameOf = (topic: string) => topics.contracts.find((one) => one.topic === topic)?.role ?? topic;
  return {
    partitions,
    group,
    consumers: () =>
      consumers.flatMap(({ process, consumer }) => (process.state() === 'dead' ? [] : [consumer])),
    clientOf: (process) => ({
      producer: () => Promise.resolve(simulatedProducer({ world, process, partitions, nameOf })),
      consumer(options, handlers) {
        const isHeldElsewhere = (task: number) =>
          consumers.some(
            (other) =>
              other.process !== process &&
              other.process.state() !== 'dead' &&
              other.consumer.tasks().includes(task),
          );
        const consumer = simulatedConsumer({
          world,
          process,
          partitions,
          group,
          options,
          handlers,
          isHeldElsewhere,
        });
        consumers.push({ process, consumer });
        return Promise.resolve(consumer);
      },
      ping: () =>
        new Promise((resolve) =>
          send(world, process, 'ping', false, () => answer(world, process, 'ping', false, resolve)),
        ),
      admin: () => Promise.reject(new Fault('LOG_UNSUPPORTED', 'no admin here', { retriable: false })),
      tail: () => Promise.reject(new Fault('LOG_UNSUPPORTED', 'no tail here', { retriable: false })),
    }),
  };
}
