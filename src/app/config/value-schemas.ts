// How the text of one setting becomes a value. Each schema takes a string and explains a refusal in words that fit after the setting's name.
import { z } from 'zod';
import { formatDuration, parseDuration } from '../../runtime/duration.ts';

export type ValueSchema<T> = z.ZodType<T, string>;

/** Refuses with `message`; the value after it is never used. */
function refuse(context: z.RefinementCtx<unknown>, message: string): typeof z.NEVER {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

export function duration(minMs: number, maxMs: number): ValueSchema<number> {
  return z.string().transform((text, context) => {
    const valueMs = parseDuration(text);
    if (valueMs === null) return refuse(context, 'is not a duration such as 500ms, 5s, 15m, 1h or 7d');
    if (valueMs >= minMs && valueMs <= maxMs) return valueMs;
    return refuse(context, `must lie between ${formatDuration(minMs)} and ${formatDuration(maxMs)}`);
  });
}

/** Ascending and without repeats, such as `1s,5s,30s`. */
export function durationLadder(maxSteps: number): ValueSchema<readonly number[]> {
  return z.string().transform((text, context) => {
    const steps = text.split(',').map(parseDuration);
    const known = steps.filter((step) => step !== null && step > 0) as number[];
    if (known.length !== steps.length)
      return refuse(context, 'is not a list of durations such as 1s,5s,30s,1m');
    if (known.length > maxSteps) return refuse(context, `must have at most ${maxSteps} steps`);
    const isAscending = known.every((step, index) => index === 0 || step > (known[index - 1] ?? 0));
    return isAscending ? known : refuse(context, 'must ascend, each duration once');
  });
}

export function wholeNumber(min: number, max: number): ValueSchema<number> {
  return z.string().transform((text, context) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) return refuse(context, 'is not a whole number');
    return value >= min && value <= max ? value : refuse(context, `must lie between ${min} and ${max}`);
  });
}

export function positiveNumber(max: number): ValueSchema<number> {
  return z.string().transform((text, context) => {
    const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    return value > 0 && value <= max ? value : refuse(context, `must be a number above 0 and at most ${max}`);
  });
}

export const flag: ValueSchema<boolean> = z.string().transform((text, context) => {
  if (text === 'true') return true;
  return text === 'false' ? false : refuse(context, 'must be true or false');
});

export function oneOf<const T extends readonly [string, ...string[]]>(names: T): ValueSchema<T[number]> {
  return z.string().transform((text, context): T[number] => {
    const found = names.find((name) => name === text);
    return found ?? refuse(context, `must be one of ${names.join(', ')}`);
  });
}

/** Text of one line that matches `pattern`; `meaning` completes "must be …". */
export function textLike(pattern: RegExp, meaning: string): ValueSchema<string> {
  return z
    .string()
    .transform((text, context) => (pattern.test(text) ? text : refuse(context, `must be ${meaning}`)));
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

function parseHostPort(text: string): HostPort | null {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) return null;
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
}

export const hostPort: ValueSchema<HostPort> = z
  .string()
  .transform((text, context) => parseHostPort(text) ?? refuse(context, 'is not host:port'));

/** `host:port,host:port`, kept as text. */
export const hostPortList: ValueSchema<readonly string[]> = z.string().transform((text, context) => {
  const addresses = text.split(',').map((address) => address.trim());
  const areSound = addresses.every((address) => (parseHostPort(address)?.port ?? 0) > 0);
  return areSound ? addresses : refuse(context, 'is not a list of host:port');
});

export function urlOf(schemes: readonly string[]): ValueSchema<string> {
  return z.string().transform((text, context) => {
    const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : '';
    return schemes.includes(scheme)
      ? text
      : refuse(context, `is not a URL with ${schemes.join(':// or ')}://`);
  });
}
