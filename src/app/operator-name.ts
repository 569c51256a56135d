// Who gives an order and why, for the record.
import { userInfo } from 'node:os';
import { MAX_ID_CHARS } from '../streams/field-rules.ts';
import { variable } from './config/setting-source.ts';
import type { Environment } from './environment.ts';
import { usage } from './report-failure.ts';

export interface OrderFlags {
  readonly actor?: string;
  readonly reason?: string;
}

const MAX_REASON_CHARS = 1_024;

/** Whoever `--actor` names, else the user of the operating system. @throws Fault USAGE */
export function actorOf({ variables }: Environment, { actor }: OrderFlags): string {
  const name = actor ?? variable(variables, 'USER') ?? variable(variables, 'LOGNAME') ?? userInfo().username;
  if (name.trim() === '' || name.length > MAX_ID_CHARS)
    throw usage(`--actor: 1 to ${MAX_ID_CHARS} characters, please\n`);
  return name;
}

/** @throws Fault USAGE, also without a reason */
export function requiredReason({ reason }: OrderFlags): string {
  if (reason === undefined) throw usage('say why with --reason: it is what others see\n');
  if (reason.trim() === '' || reason.length > MAX_REASON_CHARS)
    throw usage(`--reason: 1 to ${MAX_REASON_CHARS} characters, please\n`);
  return reason;
}
