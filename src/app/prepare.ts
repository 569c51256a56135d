// Makes fresh servers ready: topics, schemas, tables. For the demo and the tests; in production an operator runs the commands
// `pin migrate up`, `pin topics apply` and `pin schemas push`, and the service itself creates nothing.
import type { Log } from '../broker/log.ts';
import { applyTopicsPlan, topicsPlan } from '../ops/topics-plan.ts';
import type { Logger } from '../runtime/logger.ts';
import { migrateUp } from '../state/migrate.ts';
import type { SchemaRegistry } from '../streams/registry.ts';
import { pushSchemas } from '../streams/schema-check.ts';
import { topicSpecs } from '../streams/topics.ts';
import type { Config } from './config/config.ts';
import { topicsOfConfig } from './connections.ts';

/** @throws Fault when a server is away */
export async function prepareServers(
  config: Config,
  { log, registry }: { readonly log: Log; readonly registry: SchemaRegistry },
  logger: Logger,
): Promise<void> {
  await Promise.all([
    migrateUp({ logger }, { databaseUrl: config.database.url, schema: config.database.schema }),
    prepareTopics(config, log),
    pushSchemas(registry, topicsOfConfig(config)),
  ]);
}

async function prepareTopics(config: Config, log: Log): Promise<void> {
  const admin = await log.admin();
  try {
    const wanted = topicSpecs(topicsOfConfig(config), config.topics);
    await applyTopicsPlan(admin, await topicsPlan(admin, wanted));
  } finally {
    await admin.close();
  }
}
