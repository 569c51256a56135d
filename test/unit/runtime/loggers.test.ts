import { describe, expect, it } from 'vitest';
import type { LogLevel } from '../../../src/runtime/log-line.ts';
import type { Logger } from '../../../src/runtime/logger.ts';
import { pinoLogger } from '../../../src/runtime/pino-logger.ts';
import { textLogger } from '../../../src/runtime/text-logger.ts';

const clock = { nowMs: () => Date.UTC(2026, 10, 29, 18, 49, 57, 123), monotonicMs: () => 0 };

function written(make: (level: LogLevel, sink: { write(line: string): void }) => Logger, level: LogLevel) {
  const lines: string[] = [];
  return { logger: make(level, { write: (line) => void lines.push(line) }), lines };
}

describe('the JSON logger', () => {
  it('writes one line with an ISO time, a level in words and the event', () => {
    const { logger, lines } = written(pinoLogger, 'info');
    logger.info('notification.sent', {
      notification_id: 'n-1',
      attempt: 2,
      error_code: null,
      cycle: undefined,
    });
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { time: _, ...rest } = line;
    expect(rest).toEqual({
      level: 'info',
      event: 'notification.sent',
      notification_id: 'n-1',
      attempt: 2,
      error_code: null,
    });
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = written(pinoLogger, 'warn');
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn', 'error']);
  });

  it('hides addresses in errors and bounds them', () => {
    const { logger, lines } = written(pinoLogger, 'info');
    logger.error('provider.failed', { error: `refused for ann@example.org ${'x'.repeat(5_000)}` });
    expect(lines[0]).not.toContain('ann@');
    expect(lines[0]?.length).toBeLessThan(500);
  });
});

describe('the text logger', () => {
  it('writes one readable line', () => {
    const { logger, lines } = written((level, sink) => textLogger({ clock }, level, sink), 'info');
    logger.debug('not.written');
    logger.info('notification.sent', { channel: 'email', error: 'a "quoted" text\nwith a line' });
    expect(lines).toEqual([
      '18:49:57.123 info  notification.sent channel=email error="a \\"quoted\\" text with a line"\n',
    ]);
  });
});
