// The configuration for a command, or one Fault that says everything that is wrong with it.
import { Fault } from '../runtime/fault.ts';
import type { Config } from './config/config.ts';
import { readConfig } from './config/read-config.ts';
import type { Environment } from './environment.ts';

/** @throws Fault CONFIG_INVALID (exit code 78) with every error, one a line */
export function loadConfig(environment: Environment): Config {
  const answer = readConfig(environment.variables, environment.readFile);
  if (answer.kind === 'ok') return answer.config;
  const sentences = answer.errors.map((error) => `\n  ${error}`).join('');
  throw new Fault('CONFIG_INVALID', `the settings cannot be used:${sentences}\n`, { retriable: false });
}
