// Asks a person before something is changed that others rely on. Without a terminal nobody is asked: a script knows what it calls.
import type { Environment } from './environment.ts';

/** True to go on: said so, or `--yes`, or nobody there to ask. */
export async function confirmed(
  environment: Environment,
  question: string,
  saysYes: boolean,
): Promise<boolean> {
  if (saysYes || !environment.stdin.isTerminal) return true;
  environment.stderr.write(`${question} [y/N] `);
  for await (const chunk of environment.stdin) {
    return /^y(es)?$/i.test(Buffer.from(chunk).toString('utf8').trim());
  }
  return false;
}
