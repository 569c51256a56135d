// One event, one JSON line, fields in snake_case. Never a recipient, a body, a token, or a provider's free text unscrubbed.

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** Only when a person should look. */
  error(event: string, fields?: LogFields): void;
}

const nothing = () => undefined;
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
