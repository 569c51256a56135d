// JSON log lines by pino: `time` (ISO 8601, UTC), `level` as a word, `event`, then the fields. Every text is scrubbed on its way out.
import { pino } from 'pino';
import { type LineSink, type LogLevel, safeFields } from './log-line.ts';
import type { LogFields, Logger } from './logger.ts';

/** One line a call on `sink`; calls below `level` cost next to nothing. */
export function pinoLogger(level: LogLevel, sink: LineSink): Logger {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => void sink.write(line) },
  );
  const write = (lineLevel: LogLevel) => (event: string, fields?: LogFields) => {
    if (logger.isLevelEnabled(lineLevel)) logger[lineLevel]({ event, ...safeFields(fields) });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
