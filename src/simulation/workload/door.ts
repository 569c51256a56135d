// Where vendors knock that name only their own message: a small process of its own that makes the product's parking call. The vendor knocks
// again until it hears that the webhook is kept.
import { messageOf } from '../../runtime/fault.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { noMetrics } from '../../runtime/metrics.ts';
import { parkUnnamed, type UnnamedWebhook } from '../../state/parking-call.ts';
import { providerWebhookRecord } from '../../streams/provider-webhook.ts';
import { DEFAULT_RETENTION } from '../../topology/retention-settings.ts';
import { incarnation } from '../incarnation.ts';
import { lockHolders, simulatedStore } from '../simulated-store.ts';
import type { Stage } from '../stage.ts';

const KNOCK_AGAIN_MS = 6_000;

export function knock(stage: Stage, webhook: UnnamedWebhook, knocks = 1): void {
  const { world, topics, codec, broker, database, witness } = stage;
  const process = incarnation(
    { time: world.time, onSilent: () => undefined, onThaw: () => undefined },
    { name: `door.${knocks}`, slot: 'door', skewMs: 0 },
  );
  world.tell(process.name, () => `hears ${webhook.verdict} of ${webhook.providerMessageId}`);
  let isKept = false;
  world.time.plan(KNOCK_AGAIN_MS, () => {
    process.kill();
    if (!isKept) knock(stage, webhook, knocks + 1);
  });
  void keep().catch((error: unknown) => world.tell(process.name, () => messageOf(error)));

  async function keep(): Promise<void> {
    const producer = await broker.clientOf(process).producer();
    const store = simulatedStore({
      world,
      process,
      database,
      locks: lockHolders(),
      logger: silentLogger,
      onServing: witness.serving,
      isAway: () => false,
      onControls: () => undefined,
      onDecided: () => undefined,
    });
    const publish = async (named: Parameters<typeof providerWebhookRecord>[2]) =>
      void (await producer.send(providerWebhookRecord(topics, codec, named, null)));
    const answer = await parkUnnamed(
      { store, metrics: noMetrics, keepMs: DEFAULT_RETENTION.parkedMs, publish },
      webhook,
    );
    isKept = true;
    world.tell(process.name, () => `has it ${answer}`);
  }
}
