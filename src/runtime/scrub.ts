// Makes text safe for a log line: bounded, one line, without addresses, phone numbers or credentials. It would rather hide too much.

export const MAX_LOGGED_CHARS = 300;

/** Ids, codes, numbers, times: none of the patterns below can match in these characters alone. */
const PLAIN_WORD = /^[A-Za-z0-9_.-]*$/;
const CONTROLS = /\p{Cc}+/gu;
const EMAIL = /[^\s@<>"'(),;:/*]{1,64}@[^\s@<>"'(),;:/*]{1,255}/g;
const URL_LOGIN = /:\/\/[^\s/@]+@/g;
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;
const NAMED_SECRET =
  /(["']?)\b([a-z_-]*(?:token|secret|password|passwd|authorization|api[_-]?key))\1\s*[:=]\s*["']?[^\s"'&,;}]+/gi;
const BOT_TOKEN = /(?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}/g;
/** Ten digits or more with the usual separators, not part of an id. */
const PHONE = /(?<![\w.-])\+?\d(?:[ ().-]{0,2}\d){8,16}(?![\w-])/g;

/** Text from outside as it may stand in a log line, at most 300 characters. */
export function scrubText(text: string): string {
  if (text.length <= MAX_LOGGED_CHARS && PLAIN_WORD.test(text)) return text;
  // Cut first: the patterns below then run over a bounded text.
  const bounded = text.slice(0, MAX_LOGGED_CHARS * 4).replace(CONTROLS, ' ');
  const clean = bounded
    .replace(URL_LOGIN, '://***@')
    .replace(BEARER, '$1 ***')
    .replace(NAMED_SECRET, '$2=***')
    .replace(BOT_TOKEN, '***')
    .replace(EMAIL, '<address>');
  const withoutPhones = isFreeText(clean) ? clean.replace(PHONE, '<number>') : clean;
  return withoutPhones.length > MAX_LOGGED_CHARS
    ? `${withoutPhones.slice(0, MAX_LOGGED_CHARS - 1)}…`
    : withoutPhones;
}

/** Ids, offsets and codes are single words that may be all digits; a sentence or an international number is not one. */
function isFreeText(text: string): boolean {
  return text.includes(' ') || text.startsWith('+');
}
