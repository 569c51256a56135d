// One kept admin connection and calls over it that may be repeated: passing troubles (a leader that moves, a new topic that settles) are
// tried again within the limit. kafkajs asks for every topic it was ever asked about, so that one deleted topic would spoil all later
// calls: after such a failure a new client takes over.
import type { Admin } from 'kafkajs';
import { Fault, messageOf } from '../../runtime/fault.ts';
import { within } from '../../runtime/timers.ts';
import {
  CONNECT_LIMIT_MS,
  DISCONNECT_LIMIT_MS,
  ended,
  type KafkaDeps,
  type KafkaSettings,
  kafkaClient,
} from './client.ts';
import { failureKind, unavailable } from './failure.ts';
import { tryAgain } from './try-again.ts';

export interface AdminClient {
  /** @throws Fault LOG_UNAVAILABLE (retriable), LOG_TOPIC_UNKNOWN, LOG_SETTINGS_REFUSED */
  call<T>(doing: string, work: (admin: Admin) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CALL_LIMIT_MS = 30_000;
const REFUSED_SETTINGS = /^(INVALID_|POLICY_VIOLATION|.*AUTHORIZATION_FAILED)/;

/** Connects. @throws Fault LOG_UNAVAILABLE (retriable) */
export async function adminClient(deps: KafkaDeps, settings: KafkaSettings): Promise<AdminClient> {
  let current = connectable(deps, settings);
  let closed = false;
  await current.connect();

  const tryOnce = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
    try {
      await current.connect();
      return await work(current.admin);
    } catch (error) {
      if (failureKind(error) === 'gone-topic' && !closed) {
        void current.end();
        current = connectable(deps, settings);
      }
      throw error;
    }
  };
  return {
    async call(doing, work) {
      try {
        return await within(
          deps.timers,
          CALL_LIMIT_MS,
          'LOG_UNAVAILABLE',
          tryAgain(deps.timers, () => tryOnce(work)),
        );
      } catch (error) {
        throw faultOf(error, doing);
      }
    },
    close() {
      closed = true;
      return current.end();
    },
  };
}

function connectable(deps: KafkaDeps, settings: KafkaSettings) {
  const { kafka, drop } = kafkaClient(deps, settings);
  const admin = kafka.admin();
  const end = async () => {
    await ended(deps, admin.disconnect(), DISCONNECT_LIMIT_MS);
    drop();
  };
  return {
    admin,
    end,
    async connect() {
      try {
        await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', admin.connect());
      } catch (error) {
        void end();
        throw unavailable(error, 'connecting the admin client');
      }
    },
  };
}

function faultOf(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  const message = `${doing}: ${messageOf(error)}`;
  if (failureKind(error) === 'gone-topic')
    return new Fault('LOG_TOPIC_UNKNOWN', message, { retriable: false, cause: error });
  if (typesOf(error).some((type) => REFUSED_SETTINGS.test(type)))
    return new Fault('LOG_SETTINGS_REFUSED', message, { retriable: false, cause: error });
  return unavailable(error, doing);
}

/** Protocol error names of an error, its causes, and the errors that a creation gathers. */
function typesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = 'type' in error && typeof error.type === 'string' ? [error.type] : [];
  const gathered: unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return [...own, ...gathered.flatMap(typesOf), ...typesOf(error.cause)];
}
