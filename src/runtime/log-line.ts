// What both log formats share: the levels, where lines go, and fields made safe.
import type { LogFields } from './logger.ts';
import { scrubText } from './scrub.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LineSink {
  write(line: string): unknown;
}

/** Drops undefined fields and scrubs every text. */
export function safeFields(fields: LogFields | undefined): Record<string, string | number | boolean | null> {
  const safe: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) safe[name] = typeof value === 'string' ? scrubText(value) : value;
  }
  return safe;
}
