// How the lab's vendor may answer: faithfully, or misbehaving on order. Plain data, so that an order can come over HTTP as JSON.

interface Common {
  /** Whether the message goes out. By default it does when the answer begins as a success. */
  readonly delivers?: boolean;
  /** Waits this long before it answers; the delivery itself is not delayed. */
  readonly latencyMs?: number;
}

export type VendorAnswer = Common &
  (
    | { readonly kind: 'accept' }
    /** An error in the protocol's own shape. `retriable` left out is left out of the answer. */
    | {
        readonly kind: 'error';
        readonly status: number;
        readonly code: string;
        readonly retriable?: boolean;
        /** The Retry-After header, as it is. */
        readonly retryAfter?: string;
        readonly retryAfterMs?: number;
        readonly scope?: string;
      }
    /** What a proxy, a gateway or a broken server says: any status and text, HTML by default. */
    | {
        readonly kind: 'page';
        readonly status: number;
        readonly text?: string;
        readonly retryAfter?: string;
      }
    | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
    /** Says nothing until the caller gives up. */
    | { readonly kind: 'hang' }
    /** Ends the connection. `before-reading`: without having read the body. */
    | {
        readonly kind: 'cut';
        readonly when: 'before-reading' | 'before-answer' | 'mid-answer';
        readonly how?: 'close' | 'reset';
      }
    /** A good answer, one byte at a time. */
    | { readonly kind: 'drip'; readonly everyMs: number }
    /** A good answer that is this long. */
    | { readonly kind: 'huge'; readonly bytes: number }
  );

export const ACCEPT: VendorAnswer = { kind: 'accept' };

export function deliversMessage(answer: VendorAnswer): boolean {
  if (answer.delivers !== undefined) return answer.delivers;
  return answer.kind === 'cut'
    ? answer.when === 'mid-answer'
    : answer.kind === 'accept' || answer.kind === 'drip' || answer.kind === 'huge';
}

/** `dropped`: the caller learns nothing, `rejected`: the caller is told no. For answers that deliver nothing. */
export function outcomeWithoutDelivery(answer: VendorAnswer): 'dropped' | 'rejected' {
  return answer.kind === 'hang' || answer.kind === 'cut' ? 'dropped' : 'rejected';
}

/** Fields that each kind must have, with their types. */
const REQUIRED: Readonly<Record<VendorAnswer['kind'], Readonly<Record<string, 'string' | 'number'>>>> = {
  accept: {},
  error: { status: 'number', code: 'string' },
  page: { status: 'number' },
  redirect: { location: 'string' },
  hang: {},
  cut: { when: 'string' },
  drip: { everyMs: 'number' },
  huge: { bytes: 'number' },
};

/** The answer that a JSON value describes, or a sentence that says why it is none. */
export function parseVendorAnswer(value: unknown): VendorAnswer | string {
  if (typeof value !== 'object' || value === null) return 'an answer is an object with a kind';
  const fields = value as Readonly<Record<string, unknown>>;
  const { kind } = fields;
  const required = typeof kind === 'string' ? requiredFields(kind) : null;
  if (required === null) return `kind must be one of ${Object.keys(REQUIRED).join(', ')}`;
  const wrong = Object.entries(required).find(([name, type]) => typeof fields[name] !== type);
  if (wrong !== undefined) return `${String(kind)} needs ${wrong[0]}: a ${wrong[1]}`;
  return value as VendorAnswer;
}

function requiredFields(kind: string): Readonly<Record<string, 'string' | 'number'>> | null {
  return Object.hasOwn(REQUIRED, kind) ? REQUIRED[kind as VendorAnswer['kind']] : null;
}
