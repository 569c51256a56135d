// One command of `pin` in this process, beside a service that runs: with its settings, as the user ada.
import type { Environment } from '../../src/app/environment.ts';
import type { ExitCode } from '../../src/app/exit-codes.ts';
import { runPin } from '../../src/app/program.ts';
import { type RealWorld, testEnvironment } from './real-service.ts';

export interface PinSaid {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** `file`: what any file holds that it reads. */
export async function pinBeside(
  world: Pick<RealWorld, 'environment'>,
  args: readonly string[],
  given: { readonly file?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<PinSaid> {
  const printed = { out: [] as string[], err: [] as string[] };
  const variables = { ...(world.environment.variables as Record<string, string>), USER: 'ada' };
  const environment: Environment = {
    ...testEnvironment(variables),
    stdout: { write: (text) => printed.out.push(text), isTerminal: false },
    stderr: { write: (text) => printed.err.push(text), isTerminal: false },
    readFile: () => given.file ?? '',
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  };
  const code = await runPin(args, environment);
  return { code, out: printed.out.join(''), err: printed.err.join('') };
}
