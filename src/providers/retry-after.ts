// How long a vendor asks us to wait. Counted in full by the rules, so nonsense must not get through.
import { epochMsOfIso } from '../runtime/clock.ts';

/** A longer wait is cut: it is more likely a mistake than a wish. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

const WHOLE_SECONDS = /^\d{1,10}$/;
/** The three forms of RFC 9110 §5.6.7 all start with the name of a day. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** Reads a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date); null when it is neither. */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  const trimmed = text?.trim() ?? '';
  if (WHOLE_SECONDS.test(trimmed)) return clampRetryAfter(Number(trimmed) * 1_000);
  if (!HTTP_DATE.test(trimmed)) return null;
  const dateMs = epochMsOfIso(trimmed);
  return dateMs === null ? null : clampRetryAfter(Math.max(0, dateMs - nowMs));
}

/** Whole milliseconds between 0 and MAX_RETRY_AFTER_MS; null for anything that is no wait. */
export function clampRetryAfter(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  return Math.min(Math.ceil(value), MAX_RETRY_AFTER_MS);
}
