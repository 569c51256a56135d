// What a webhook says, apart from any row: the verdict that it gives a message, why, and the times that it stamps. It decides nothing.
import { ERROR_CODES, type ErrorClass, type ErrorCode, type LastError } from './codes.ts';
import { changed } from './committed-row.ts';
import type { NotificationState, Verdict } from './notification.ts';
import type { ProviderWebhook } from './provider-webhook.ts';

/** Classes after which the same address would fail again. Anything else, and a failure without a class, is passing. */
const HARD: readonly ErrorClass[] = ['refused', 'blocked', 'cancelled'];

const CLASS_OF_CODE: Readonly<Partial<Record<ErrorCode, ErrorClass>>> = {
  NTF_PROVIDER_RATE_LIMITED: 'rate-limited',
  NTF_PROVIDER_INVALID_RECIPIENT: 'refused',
  NTF_PUSH_TOKEN_INVALID: 'refused',
  NTF_PROVIDER_TEMPLATE_INVALID: 'refused',
  NTF_PROVIDER_BLOCKED: 'blocked',
};

const CODE_OF_CLASS: Readonly<Partial<Record<ErrorClass, ErrorCode>>> = {
  refused: 'NTF_PROVIDER_INVALID_RECIPIENT',
  blocked: 'NTF_PROVIDER_BLOCKED',
  'rate-limited': 'NTF_PROVIDER_RATE_LIMITED',
  cancelled: 'NTF_PROVIDER_BLOCKED',
};

export interface MessageNews {
  readonly verdict: Verdict;
  readonly error?: LastError;
}

/** null: the webhook says nothing about whether the message arrived. */
export function newsOf(webhook: ProviderWebhook): MessageNews | null {
  if (webhook.verdict === 'delivered') return { verdict: 'delivered' };
  if (webhook.verdict !== 'failed') return null;
  const error = errorOf(webhook);
  return { verdict: HARD.includes(error.errorClass) ? 'failed-hard' : 'failed-transient', error };
}

/** A failure without a class and without a code of ours is taken for a passing one; ops should see that it is not classified. */
export function isUnclassified({ verdict, errorClass, errorCode }: ProviderWebhook): boolean {
  return verdict === 'failed' && errorClass === null && ourCode(errorCode) === null;
}

function errorOf({ errorCode, errorClass: told }: ProviderWebhook): LastError {
  const ours = ourCode(errorCode);
  const errorClass = told ?? (ours === null ? undefined : CLASS_OF_CODE[ours]) ?? 'transient';
  const code = ours ?? CODE_OF_CLASS[errorClass] ?? 'NTF_PROVIDER_TRANSIENT';
  return { code, errorClass, providerCode: ours === null ? errorCode : null };
}

function ourCode(text: string | null): ErrorCode | null {
  return ERROR_CODES.find((code) => code === text) ?? null;
}

/** The row with the time that the webhook names, the earliest of its kind; the very same row when it names nothing new. */
export function stampedBy<R extends NotificationState>(row: R, webhook: ProviderWebhook): R {
  const { occurredAtMs } = webhook;
  const earliest = (known: number | null) => Math.min(known ?? occurredAtMs, occurredAtMs);
  switch (webhook.verdict) {
    case 'delivered':
      return stamp(row, 'deliveredAtMs', earliest(row.deliveredAtMs));
    case 'read':
      return stamp(row, 'seenAtMs', earliest(row.seenAtMs));
    case 'complained':
      return stamp(row, 'complainedAtMs', earliest(row.complainedAtMs));
    case 'unsubscribed':
      return stamp(row, 'unsubscribedAtMs', earliest(row.unsubscribedAtMs));
    default:
      return row;
  }
}

type Stamp = 'deliveredAtMs' | 'seenAtMs' | 'complainedAtMs' | 'unsubscribedAtMs';

function stamp<R extends NotificationState>(row: R, name: Stamp, atMs: number): R {
  if (row[name] === atMs) return row;
  const stamped: Partial<Record<Stamp, number>> = { [name]: atMs };
  return changed(row, stamped);
}
