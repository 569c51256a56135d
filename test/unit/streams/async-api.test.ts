import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runPin } from '../../../src/app/program.ts';
import { anEnvironment } from '../app/an-environment.ts';

test('the AsyncAPI document in docs is as printed: `pin schemas asyncapi > docs/asyncapi.json`', async () => {
  const environment = anEnvironment();
  await runPin(['schemas', 'asyncapi'], environment);
  expect(readFileSync(new URL('../../../docs/asyncapi.json', import.meta.url), 'utf8')).toBe(
    environment.out(),
  );
});
