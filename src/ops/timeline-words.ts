// What each rule of the trail means, in words for the person who asks "what happened to this one?". One sentence for each rule.
import type { HoldReason } from '../domain/hold.ts';
import { pauseScope } from '../domain/pause.ts';
import type { GateCause } from '../domain/rule-facts.ts';
import type { TrailEntry } from '../domain/trail.ts';
import { roughDuration } from '../runtime/duration.ts';

type Facts = TrailEntry['facts'];
type Sentence = (facts: Facts) => string;

/** ` (NTF_…, the provider said 550)`; empty when nothing is known. */
function error({ code, said }: Facts): string {
  const parts = [code, said === undefined ? undefined : `the provider said ${said}`].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function wait({ wait: waitMs }: Facts): string {
  return waitMs === undefined ? '' : `; waits ${roughDuration(Number(waitMs))}`;
}

function nextAttempt({ wait: waitMs }: Facts): string {
  return waitMs === undefined ? '' : `; the next attempt waits ${roughDuration(Number(waitMs))}`;
}

const fact = (facts: Facts, name: string, otherwise: string) => facts[name] ?? otherwise;
const attempt = ({ n }: Facts) => (n === undefined ? 'an attempt' : `attempt ${n}`);
const message = ({ message: id }: Facts) => (id === undefined ? '' : ` as ${id}`);
const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const RESOLUTIONS: Readonly<Record<string, string>> = {
  retry: 'the same key is used again, which is safe with this provider',
  resend: 'the channel is set to send again',
  'look-up': 'the provider is asked by our reference',
  held: 'a webhook may still tell',
};

const HOLDS: Readonly<Record<HoldReason, string>> = {
  'channel-disabled': 'the channel is switched off',
  'channel-unconfigured': 'the channel has no provider that is configured',
  'channel-stub': 'the provider of the channel is a stub',
  paused: 'it was paused',
  'template-unavailable': 'its template is not there yet',
  'quiet-hours': 'it is quiet hours',
};

/** Why a notification is held, completing "held because …". */
export function holdWords(reason: string): string {
  return (HOLDS as Readonly<Record<string, string>>)[reason] ?? reason;
}

/** Completing "held because …", with the pause where one holds it. */
export function pauseWords(pause: string): string {
  const scope = pauseScope(pause);
  switch (scope?.kind) {
    case 'channel':
      return `an operator paused the channel ${scope.channel}`;
    case 'tenant':
      return scope.tenantId === null
        ? 'an operator paused the notifications of the platform itself'
        : `an operator paused the tenant ${scope.tenantId}`;
    case 'template':
      return `an operator paused the template ${scope.templateKey}`;
    case undefined:
      return holdWords('paused');
  }
}

const GATES: Readonly<Record<GateCause, (provider: string) => string>> = {
  operator: (provider) => `An operator closed the gate of ${provider}`,
  failing: (provider) => `The gate of ${provider} is closed for everybody: it fails for nearly everybody`,
  'rate-limited': (provider) =>
    `The gate of ${provider} is closed for everybody: it limits the whole account`,
  misconfigured: (provider) =>
    `The gate of ${provider} is closed for everybody: it refuses our account or settings`,
  probe: (provider) => `One call is trying whether ${provider} works again`,
};

function gateClosed(facts: Facts): string {
  const provider = fact(facts, 'provider', 'its provider');
  const words = GATES[facts['why'] as GateCause] as (typeof GATES)[GateCause] | undefined;
  const what = words?.(provider) ?? `The gate of ${provider} is closed for everybody`;
  return `${what}${wait(facts)}. No attempt is used.`;
}

function failed(what: string): Sentence {
  return (facts) => `${sentenceCase(attempt(facts))} ${what}${error(facts)}${nextAttempt(facts)}.`;
}

function doubtful(facts: Facts): string {
  const { next } = facts;
  // A lookup that found nothing settles the doubt as a failed attempt.
  if (next === undefined)
    return `${sentenceCase(attempt(facts))} never reached the provider${error(facts)}${nextAttempt(facts)}.`;
  const how = RESOLUTIONS[next] ?? next;
  return `Nobody knows whether ${attempt(facts)} was accepted: ${how}${wait(facts)}.`;
}

const REPORTS: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  failed: 'failed',
  complained: 'complained about',
  unsubscribed: 'a reason to unsubscribe',
  read: 'opened',
};

function reported(facts: Facts): string {
  const { verdict = '', message: id, next } = facts;
  const what = `The provider reported${id === undefined ? '' : ` ${id}`} as ${REPORTS[verdict] ?? verdict}${error(facts)}`;
  return next === undefined ? `${what}.` : `${what}; ${next} stands and is the current message.`;
}

const RESULTS: Readonly<Record<string, string>> = {
  done: 'done',
  requested: 'it takes effect unless the call in flight is accepted',
  already: 'it was so already',
  'refused-cycle': 'refused, because the notification is in another cycle',
  'refused-final': 'refused, because it had ended already',
  'refused-not-final': 'refused, because it has not ended',
  'refused-sent': 'refused, because it is Sent',
  'refused-unknown': 'refused, because it may have arrived',
  'refused-expired': 'refused, because its time is over (notAfter)',
  'refused-purged': 'refused, because its content is gone',
  'refused-not-held': 'refused, because it is not held',
  'refused-hold-stands': 'refused, because the cause of the hold stands',
  'refused-no-copy': 'refused, because there is no copy to read',
  'refused-not-failed': 'refused, because it has not failed for good',
};

function commanded(what: string): Sentence {
  return (facts) => {
    const result = fact(facts, 'result', 'unknown');
    const how = 'force' in facts ? ' by force' : '';
    const why = facts['why'] === undefined ? '' : ` (${facts['why'].replaceAll('_', ' ').trim()})`;
    return `${fact(facts, 'by', 'Somebody')} asked to ${what}${how}${why}: ${resultWords(result)}.`;
  };
}

/** What a command came to, completing "asked to cancel: …". */
export function resultWords(result: string): string {
  return RESULTS[result] ?? result;
}

const SENTENCES: Readonly<Record<string, Sentence>> = {
  claimed: (facts) =>
    `Claimed ${attempt(facts)} for ${fact(facts, 'provider', 'a provider')}${'resend' in facts ? ', though the one before may have arrived' : ''}.`,
  'taken-over': (facts) =>
    `The lease of ${attempt(facts)} ended without an answer: taken over with the same number (time ${fact(facts, 'times', '1')} of 3).`,
  released: (facts) => `${sentenceCase(attempt(facts))} was given back: nothing had been sent.`,
  accepted: (facts) => `The provider accepted ${attempt(facts)}${message(facts)}.`,
  'late-accepted': (facts) => `A late answer: the provider had accepted ${attempt(facts)}${message(facts)}.`,
  'looked-up': (facts) => `The provider was asked and has ${attempt(facts)}${message(facts)}.`,
  'late-answer': (facts) =>
    `A late answer to ${attempt(facts)} (${fact(facts, 'kind', 'unknown')}) was recorded and changed nothing.`,
  'look-up-unavailable': (facts) => `The provider could not be asked${error(facts)}${wait(facts)}.`,
  transient: failed('failed for a passing reason'),
  'rate-limited': failed('came too fast for the provider'),
  unknown: doubtful,
  misconfigured: (facts) =>
    `The provider refuses our account or settings${error(facts)}: ${attempt(facts)} was given back${wait(facts)}.`,
  blocked: failed('was blocked'),
  'not-implemented': failed('met a provider that is a stub'),
  expired: () => 'Its time was over (notAfter): ended.',
  cancelled: ({ by }) => (by === undefined ? 'Cancelled before it came.' : `Cancelled, as ${by} had asked.`),
  refused: (facts) => `The provider refused for good${error(facts)}: ended.`,
  exhausted: (facts) => `${sentenceCase(attempt(facts))} was the last of the budget${error(facts)}: ended.`,
  'assumed-sent': (facts) =>
    `Nobody knows whether ${attempt(facts)} was accepted; the channel is set to assume it: ended as Sent.`,
  'unknown-outcome': (facts) => `Nobody ever told whether ${attempt(facts)} was accepted: ended.`,
  held: (facts) => {
    const { pause } = facts;
    const why =
      pause === undefined ? holdWords(fact(facts, 'reason', 'for no recorded reason')) : pauseWords(pause);
    return `Held: ${why}. No attempt is used.`;
  },
  parked: (facts) => `Its provider is busy: parked in the table${wait(facts)}.`,
  'gate-closed': gateClosed,
  reopened: (facts) =>
    `The provider reported ${fact(facts, 'message', 'the message')} as failed for a passing reason${error(facts)}: reopened as cycle ${fact(facts, 'cycle', '?')}.`,
  'failed-webhook': (facts) =>
    `The provider reported ${fact(facts, 'message', 'the message')} as failed for good${error(facts)}: ended.`,
  webhook: reported,
  'command-cancel': commanded('cancel'),
  'command-mark-read': commanded('mark as read'),
  'command-redrive': commanded('redrive'),
  'command-release': commanded('release'),
  'command-close': commanded('close'),
  purged: () =>
    'Its retention was over: request, history and evidence were removed; its id and the hash of its payload stay.',
  'not-before': () => 'Asked to wait until notBefore.',
};

export function hasSentence(rule: string): boolean {
  return Object.hasOwn(SENTENCES, rule);
}

/** One sentence; a rule that is not known here is shown as it was written. */
export function entryWords(entry: TrailEntry): string {
  const sentence = hasSentence(entry.rule) ? SENTENCES[entry.rule] : undefined;
  if (sentence !== undefined) return sentence(entry.facts);
  return [entry.rule, ...Object.entries(entry.facts).map(([name, value]) => `${name}=${value}`)].join(' ');
}
