// How a running service logs: JSON lines for machines, text for a terminal.
import type { Logger } from '../runtime/logger.ts';
import { pinoLogger } from '../runtime/pino-logger.ts';
import { textLogger } from '../runtime/text-logger.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './environment.ts';

export function serviceLogger(config: Config, { clock, stderr }: Environment): Logger {
  const { level, format } = config.log;
  return format === 'json' ? pinoLogger(level, stderr) : textLogger({ clock }, level, stderr);
}
