// A push token goes when its provider said that nobody is behind it, for certain then, and never otherwise.
import type { NotificationRequest } from '../../domain/request.ts';
import { pushTokenKey } from '../../state/memory-push-tokens.ts';
import type { Stage } from '../stage.ts';
import { PROVIDER_OF } from '../workload/channels.ts';
import type { Named } from './at-rest.ts';

export const pushTokenInvariants: Named = {
  'S13 a token goes only with an answer': goesOnlyWithAnAnswer,
  'S13 a token goes with its answer': goesWithItsAnswer,
};

const PROVIDER = PROVIDER_OF.push;

/** The answer to a call that began after the device was here last. */
function goesOnlyWithAnAnswer(stage: Stage): string | null {
  for (const [id, registeredAtMs] of stage.registrations) {
    const request = stage.asked.get(id)?.payloads[0];
    if (request === undefined || isRegistered(stage, request)) continue;
    const isSaid = stage.ledger.calls.some(
      ({ reference, providerKey, said, askedAtMs }) =>
        reference === id && providerKey === PROVIDER && said === 'refused' && askedAtMs > registeredAtMs,
    );
    if (!isSaid) return `the token of ${id} is gone, and nobody refused it`;
  }
  return null;
}

function goesWithItsAnswer(stage: Stage): string | null {
  for (const [id, registeredAtMs] of stage.registrations) {
    const request = stage.asked.get(id)?.payloads[0];
    const outcome = stage.database.rows.get(id)?.row.outcome ?? null;
    const isNobodys = outcome?.error?.code === 'NTF_PUSH_TOKEN_INVALID' && outcome.providerKey === PROVIDER;
    if (request === undefined || !isNobodys || !isRegistered(stage, request)) continue;
    if (registeredAtMs < (outcome.tokenInvalidSinceMs ?? 0))
      return `${id} ended for a token that is nobody's, and it is still there`;
  }
  return null;
}

function isRegistered({ database }: Stage, { recipient: token }: NotificationRequest): boolean {
  return database.pushTokens.has(pushTokenKey({ providerKey: PROVIDER, token }));
}
