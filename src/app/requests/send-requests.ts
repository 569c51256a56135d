// Produces requests and waits until the log has each of them. Ids are told in the order of the input, each only once it is acknowledged.
import type { Log } from '../../broker/log.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import type { Codec } from '../../streams/codec.ts';
import { encodeRequest } from '../../streams/requested.ts';
import type { Topics } from '../../streams/topics.ts';
import { withOpen } from '../cli.ts';

/** @throws Fault LOG_UNAVAILABLE, LOG_RECORD_REFUSED; `onAcknowledged` was called for those before it */
export async function sendRequests(
  deps: { readonly log: Log; readonly codec: Codec; readonly topics: Topics },
  requests: readonly NotificationRequest[],
  onAcknowledged: (request: NotificationRequest, partition: number) => void,
): Promise<void> {
  await withOpen(deps.log.producer(), async (producer) => {
    const sends = requests.map((request) =>
      producer.send(encodeRequest(deps.topics, deps.codec, request, null)),
    );
    // Every rejection has a listener from the start: the loop below sees only the first.
    const settled = Promise.allSettled(sends);
    for (const [index, send] of sends.entries()) {
      const { partition } = await send;
      const request = requests[index];
      if (request !== undefined) onAcknowledged(request, partition);
    }
    await settled;
  });
}
