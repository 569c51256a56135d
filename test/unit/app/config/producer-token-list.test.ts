import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../../src/app/config/read-config.ts';
import { runPin } from '../../../../src/app/program.ts';
import { bearerCallers } from '../../../../src/gateway/producer-tokens.ts';
import { anEnvironment } from '../an-environment.ts';

const PATH = '/run/secrets/tokens';

function read(text: string) {
  return readConfig({ PIN_PRODUCER_TOKENS_FILE: PATH }, () => text);
}

async function made(...args: readonly string[]) {
  const environment = anEnvironment();
  await runPin(['token', 'new', '--json', ...args], environment);
  return JSON.parse(environment.out()) as { token: string; entry: object };
}

describe('producer tokens', () => {
  it('made by `pin token new` are known by the line it printed, and by nothing else', async () => {
    const [orders, own] = [
      await made('--name', 'orders', '--tenant', 't-1'),
      await made('--name', 'console'),
    ];
    const lines = [orders, own].map(({ entry }) => JSON.stringify(entry));
    const answer = read(`# services\n${lines.join('\n')}\n`);
    const tokens = answer.kind === 'ok' ? answer.config.security.producerTokens : null;
    const authenticate = bearerCallers(tokens ?? []);
    expect(authenticate(`Bearer ${orders.token}`)).toEqual({
      name: 'orders',
      tenantId: 't-1',
      roles: ['producer', 'reader'],
    });
    expect(authenticate(`bearer ${own.token}`)).toMatchObject({ name: 'console', tenantId: null });
    for (const wrong of [undefined, '', orders.token, `Bearer ${orders.token}x`, `Basic ${orders.token}`]) {
      expect(authenticate(wrong)).toBeNull();
    }
    expect(lines.join('')).not.toContain(orders.token);
  });

  it('are refused with the line and never shown', async () => {
    const { entry } = await made('--name', 'orders');
    const line = JSON.stringify(entry);
    const errors = (text: string) => {
      const answer = read(text);
      return answer.kind === 'invalid' ? answer.errors.join('\n') : '';
    };
    expect(errors(`${line}\n${line}`)).toContain('the same token twice');
    expect(errors(`${line}\nsecret-of-mine`)).toBe(
      'PIN_PRODUCER_TOKENS: line 2: is not a JSON object of a token',
    );
    expect(errors('{"name":"orders","tenant":"","sha256":"xyz"}')).toMatch(
      /line 1: tenant .*, sha256 must be 64/,
    );
  });

  it('are masked where the settings are printed', async () => {
    const { entry } = await made('--name', 'orders');
    const environment = anEnvironment({
      variables: { PIN_PRODUCER_TOKENS: JSON.stringify(entry) },
    });
    await runPin(['config', '--json'], environment);
    expect(environment.out()).toContain('PIN_PRODUCER_TOKENS');
    expect(environment.out()).not.toContain('orders');
  });
});
