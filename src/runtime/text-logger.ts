// Log lines for a terminal: `18:49:57.123 info  notification.sent  channel=email attempt=2`. The same scrubbing as the JSON form.
import type { Clock } from './clock.ts';
import { isoTime } from './clock.ts';
import { type LineSink, LOG_LEVELS, type LogLevel, safeFields } from './log-line.ts';
import type { LogFields, Logger } from './logger.ts';

export function textLogger(deps: { clock: Clock }, level: LogLevel, sink: LineSink): Logger {
  const lowest = LOG_LEVELS.indexOf(level);
  const write = (lineLevel: LogLevel) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(lineLevel) < lowest) return;
    const time = isoTime(deps.clock.nowMs()).slice(11, 23);
    const words = Object.entries(safeFields(fields)).map(([name, value]) => `${name}=${worded(value)}`);
    sink.write(`${[time, lineLevel.padEnd(5), event, ...words].join(' ')}\n`);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function worded(value: string | number | boolean | null): string {
  return typeof value === 'string' && /[\s"=]/.test(value) ? JSON.stringify(value) : String(value);
}
