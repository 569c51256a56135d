// Where a command of `pin` brings what an operator asked: rows are read, commands go to the log, answers are read from the rows again.
// It opens what it needs and closes all of it. It never writes to the table.
import type { LogProducer } from '../../broker/log.ts';
import type { NotificationCommand } from '../../domain/notification-command.ts';
import type { NotificationReader } from '../../state/notification-reader.ts';
import { openCodec } from '../../streams/codec.ts';
import { notificationCommandRecord } from '../../streams/notification-command.ts';
import { withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import {
  commandLogger,
  logOfConfig,
  readerOfConfig,
  registryOfConfig,
  topicsOfConfig,
} from '../connections.ts';
import type { Environment } from '../environment.ts';

export interface OrderDesk {
  readonly reader: NotificationReader;
  /** Resolves when the log has it. The brokers are asked for the first time by the first command. */
  send(command: NotificationCommand): Promise<void>;
}

/** @throws Fault STATE_UNAVAILABLE, REGISTRY_UNAVAILABLE, LOG_UNAVAILABLE (retriable), SCHEMAS_NOT_REGISTERED */
export function atOrderDesk<T>(
  environment: Environment,
  config: Config,
  use: (desk: OrderDesk) => Promise<T>,
): Promise<T> {
  const logger = commandLogger(environment, config);
  return withOpen(readerOfConfig(config, logger), async (reader) => {
    const topics = topicsOfConfig(config);
    let producer: LogProducer | null = null;
    const open = async () => {
      const registry = registryOfConfig(environment, config);
      const codec = await openCodec({ registry, clock: environment.clock }, topics);
      producer = await logOfConfig(environment, config, logger).producer();
      return { codec, producer };
    };
    let opened: ReturnType<typeof open> | null = null;
    try {
      return await use({
        reader,
        async send(command) {
          opened ??= open();
          const door = await opened;
          await door.producer.send(notificationCommandRecord(topics, door.codec, command, null));
        },
      });
    } finally {
      await (producer as LogProducer | null)?.close();
    }
  });
}
