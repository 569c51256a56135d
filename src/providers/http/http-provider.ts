// The adapter of the `http` protocol (CONVENTIONS): one POST per call, one deadline, no redirect, no hidden retry. It keeps the
// port's promises; an answer that nobody can read is `unknown`, never a failure. It logs codes and ids, never addresses or bodies.
import type { Capability, ProviderFacts } from '../../domain/call-outcome.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Timers } from '../../runtime/timers.ts';
import { exchange } from '../exchange.ts';
import { openPool } from '../pool.ts';
import type { Provider } from '../provider.ts';
import { outcomeOfFailure, transportCode } from '../transport-outcome.ts';
import { httpRequests } from './http-request.ts';
import { lookupOfAnswer, outcomeOfAnswer } from './read-answer.ts';
import { signer } from './signature.ts';

export interface HttpProviderDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
}

export interface HttpProviderSettings {
  readonly providerKey: string;
  /** Where calls are posted; lookups go to `{url}/{reference}`. */
  readonly url: string;
  readonly capability: Capability;
  /** How long the capability holds after the first call; null = for ever. */
  readonly windowMs: number | null;
  /** Signs the requests; null: no signature. */
  readonly secret: string | null;
  /** For the whole call, from the asking to the last byte; 15 s by default. */
  readonly deadlineMs?: number;
  readonly maxConcurrency: number;
  readonly ratePerSecond: number | null;
  readonly visibilityDelayMs: number;
}

const DEFAULT_DEADLINE_MS = 15_000;
const always = () => true;

/** @throws Fault PIN_PROVIDER_SETTINGS when the secret cannot be one */
export function httpProvider(deps: HttpProviderDeps, settings: HttpProviderSettings): Provider {
  const facts = factsOf(settings);
  const pool = openPool(new URL(settings.url).origin, facts);
  const requests = httpRequests(settings.url, signer(settings.secret), facts.deadlineMs);
  const wire = { pool, timers: deps.timers };
  return {
    facts,
    async send(call, mayStart) {
      const answer = await exchange(wire, requests.call(call, deps.clock.nowMs()), mayStart);
      if (answer.kind === 'not-started') return answer;
      if (answer.kind === 'answered') return outcomeOfAnswer(answer, deps.clock.nowMs());
      const outcome = outcomeOfFailure(answer.phase, answer.error);
      deps.logger.debug('provider.call-failed', {
        provider: facts.providerKey,
        notification_id: call.reference,
        attempt: call.attempt,
        phase: answer.phase,
        result: outcome.kind,
        error_code: transportCode(answer.error) ?? 'deadline',
      });
      return outcome;
    },
    async lookUp(reference, cycle) {
      if (facts.capability !== 'lookup') return { kind: 'unavailable', providerCode: null };
      const answer = await exchange(wire, requests.lookup(reference, cycle, deps.clock.nowMs()), always);
      if (answer.kind === 'answered') return lookupOfAnswer(answer);
      const providerCode = answer.kind === 'failed' ? transportCode(answer.error) : null;
      return { kind: 'unavailable', providerCode };
    },
    /** Waits for open calls, which end at their deadlines. A call after it is `transient`. */
    close: () => (pool.closed ? Promise.resolve() : pool.close()),
  };
}

function factsOf(settings: HttpProviderSettings): ProviderFacts {
  return {
    providerKey: settings.providerKey,
    capability: settings.capability,
    windowMs: settings.windowMs,
    visibilityDelayMs: settings.visibilityDelayMs,
    deadlineMs: settings.deadlineMs ?? DEFAULT_DEADLINE_MS,
    maxConcurrency: settings.maxConcurrency,
    ratePerSecond: settings.ratePerSecond,
    isStub: false,
    echoesReference: true,
  };
}
