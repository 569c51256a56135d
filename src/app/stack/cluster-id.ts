// The name of a Kafka cluster: 16 random bytes as base64url, as the broker wants them.
import { randomUUID } from 'node:crypto';

/** Never one that begins with a dash: the formatting tool takes it for an option, once in 64 times. */
export function newClusterId(uuid: string = randomUUID()): string {
  const id = Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
  return id.replace(/^-/, 'A');
}
