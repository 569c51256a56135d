// `pin token new`: makes a token for a service that asks over HTTP. The token is printed once and kept nowhere; the line for
// PIN_PRODUCER_TOKENS_FILE holds only its hash.
import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { newToken } from '../../gateway/producer-tokens.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, say } from '../output.ts';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const TOKEN_BYTES = 32;

interface Options {
  readonly name: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

export function addTokenCommand(program: Command, cli: Cli): void {
  program
    .command('token')
    .description('Tokens of the services that ask for notifications over HTTP.')
    .command('new')
    .description('Make one: the token for the service, and the line for PIN_PRODUCER_TOKENS_FILE.')
    .requiredOption('--name <service>', 'who will hold it', nameOf)
    .option('--tenant <id>', 'the only tenant it may ask for; without it, the platform itself')
    .option('--json', 'print one JSON value')
    .action(
      cli.action((options: Options) => {
        const { environment } = cli;
        const { token, entry } = newToken(options.name, options.tenant ?? null, randomBytes(TOKEN_BYTES));
        if (options.json === true) printJson(environment, { token, entry });
        else {
          say(
            environment,
            'first the token, which is shown only now; then the line for PIN_PRODUCER_TOKENS_FILE',
          );
          print(environment, token);
          print(environment, JSON.stringify(entry));
        }
        return Promise.resolve(EXIT.ok);
      }),
    );
}

function nameOf(text: string): string {
  if (!NAME.test(text)) throw new InvalidArgumentError('Use letters, digits, dots, dashes and underscores.');
  return text;
}
