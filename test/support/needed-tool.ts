// Programs of others that some tests need. Where one is missing its tests are skipped and say how to get it; under CI they fail.
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { invariant } from '../../src/runtime/fault.ts';

/** Debian's own Python: the one that its packages install for. */
export const PYTHON = '/usr/bin/python3';

const TOOLS = {
  kcat: { probe: ['kcat', '-V'], howToGet: 'apt-get install kcat' },
  promtool: { probe: ['promtool', '--version'], howToGet: 'apt-get install prometheus' },
  'python3-avro': { probe: [PYTHON, '-c', 'import avro'], howToGet: 'apt-get install python3-avro' },
} as const;

export function needs(context: TestContext, ...tools: readonly (keyof typeof TOOLS)[]): void {
  const missing = tools.filter((tool) => !isThere(TOOLS[tool].probe));
  if (missing.length === 0) return;
  const reason = missing.map((tool) => `${tool} is missing: ${TOOLS[tool].howToGet}`).join('; ');
  const isCi = ['1', 'true'].includes((process.env['CI'] ?? '').toLowerCase());
  invariant(!isCi, `${reason} (under CI it must be there)`);
  // The reporters name what was skipped and keep the reason to themselves.
  console.warn(`skipped: ${context.task.name}: ${reason}`);
  context.skip(reason);
}

function isThere([program, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
