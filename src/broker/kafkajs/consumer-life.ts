// Starting and stopping a consumer, never at the same time: kafkajs keeps one alive for ever that is stopped during its first join.
// Nothing here is called inside a handler of kafkajs.
import type { Consumer, ConsumerRunConfig } from 'kafkajs';
import { type Cancel, within } from '../../runtime/timers.ts';
import { ended, type KafkaDeps } from './client.ts';

export interface Life {
  /** Joins as soon as the current work is done. */
  start(): void;
  startAgain(): void;
  /** Leaves the group; resolves when it is left, or when the brokers did not answer in time. */
  stop(): Promise<void>;
  stopping(): boolean;
}

const RESTART_PAUSE_MS = 1_000;
const JOIN_END_LIMIT_MS = 15_000;
const LEAVE_LIMIT_MS = 10_000;

export interface LifeParts {
  readonly deps: KafkaDeps;
  readonly reader: Pick<Consumer, 'run' | 'disconnect'>;
  readonly eachBatch: NonNullable<ConsumerRunConfig['eachBatch']>;
  /** Ends the client for good. */
  drop(): void;
  onStop(): void;
  onCrash(error: unknown): void;
}

export function consumerLife({ deps, reader, eachBatch, drop, onStop, onCrash }: LifeParts): Life {
  let starting: Promise<void> = Promise.resolve();
  let cancelStart: Cancel = () => undefined;
  let stopped: Promise<void> | null = null;

  const run = () => {
    const config = {
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 1,
      eachBatch,
    };
    starting = reader.run(config).catch(onCrash);
  };
  const leave = async () => {
    cancelStart();
    onStop();
    await within(deps.timers, JOIN_END_LIMIT_MS, 'LOG_UNAVAILABLE', starting).catch(() => undefined);
    const left = await ended(deps, reader.disconnect(), LEAVE_LIMIT_MS);
    if (!left) deps.logger.warn('kafka.leave-unanswered');
    drop();
  };
  return {
    start() {
      cancelStart = deps.timers.after(0, run);
    },
    startAgain() {
      cancelStart = deps.timers.after(RESTART_PAUSE_MS, run);
    },
    stop() {
      stopped ??= leave();
      return stopped;
    },
    stopping: () => stopped !== null,
  };
}
