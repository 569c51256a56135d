// What a kafkajs error means. The package wraps errors in errors and marks some passing troubles as final, so the whole chain of causes
// is read. Pure.
import { Fault, messageOf } from '../../runtime/fault.ts';

/**
 * refused = this record, now and for ever · gone-topic = the topic is not there · sequence = the idempotent sequence is lost ·
 * fenced = the group goes on without this member's generation · trouble = anything else: outage, overload, a bug of the client.
 */
export type FailureKind = 'refused' | 'gone-topic' | 'sequence' | 'fenced' | 'trouble';

const KINDS: Readonly<Record<string, FailureKind>> = {
  MESSAGE_TOO_LARGE: 'refused',
  RECORD_LIST_TOO_LARGE: 'refused',
  INVALID_RECORD: 'refused',
  INVALID_TIMESTAMP: 'refused',
  INVALID_TOPIC_EXCEPTION: 'refused',
  UNSUPPORTED_FOR_MESSAGE_FORMAT: 'refused',
  UNKNOWN_TOPIC_OR_PARTITION: 'gone-topic',
  OUT_OF_ORDER_SEQUENCE_NUMBER: 'sequence',
  DUPLICATE_SEQUENCE_NUMBER: 'sequence',
  UNKNOWN_PRODUCER_ID: 'sequence',
  INVALID_PRODUCER_EPOCH: 'sequence',
  INVALID_PRODUCER_ID_MAPPING: 'sequence',
  ILLEGAL_GENERATION: 'fenced',
  UNKNOWN_MEMBER_ID: 'fenced',
  REBALANCE_IN_PROGRESS: 'fenced',
  FENCED_INSTANCE_ID: 'fenced',
};

/** kafkajs calls these final, yet they pass when the brokers are back. */
const PASSING = new Set([
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
]);

const PASSING_TYPES = new Set([
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'COORDINATOR_NOT_AVAILABLE',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
]);

const MAX_CAUSES = 8;

export function failureKind(error: unknown): FailureKind {
  for (const link of chain(error)) {
    const kind = KINDS[link.type ?? ''];
    if (kind !== undefined) return kind;
  }
  return 'trouble';
}

/** True when a consumer that died of it may simply start again. */
export function passes(error: unknown): boolean {
  return chain(error).some(({ name, type }) => PASSING.has(name) || PASSING_TYPES.has(type ?? ''));
}

/** The Fault for a call that could not be made to work. */
export function unavailable(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  return new Fault('LOG_UNAVAILABLE', `${doing}: ${messageOf(error)}`, { retriable: true, cause: error });
}

interface Link {
  readonly name: string;
  readonly type: string | undefined;
}

function chain(error: unknown): Link[] {
  const links: Link[] = [];
  let at: unknown = error;
  while (at instanceof Error && links.length < MAX_CAUSES) {
    const type = 'type' in at && typeof at.type === 'string' ? at.type : undefined;
    links.push({ name: at.name, type });
    at = at.cause;
  }
  return links;
}
