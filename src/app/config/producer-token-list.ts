// PIN_PRODUCER_TOKENS_FILE: one JSON object a line, as `pin token new` prints it: {"name","tenant","sha256","roles"?}.
import { z } from 'zod';
import { type ProducerToken, TOKEN_ROLES } from '../../gateway/producer-tokens.ts';
import type { ValueSchema } from './value-schemas.ts';

const MAX_TOKENS = 1_000;

const entry = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be letters, digits, dots, dashes and underscores'),
  tenant: z.string().min(1).max(128).nullable(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
  roles: z
    .array(z.enum(TOKEN_ROLES))
    .min(1)
    .default([...TOKEN_ROLES]),
});

export const producerTokenList: ValueSchema<readonly ProducerToken[]> = z
  .string()
  .transform((text, context): readonly ProducerToken[] => {
    const lines = text
      .split('\n')
      .map((line, index) => ({ line: line.trim(), where: `line ${index + 1}` }))
      .filter(({ line }) => line !== '' && !line.startsWith('#'));
    const answers = lines.map(({ line, where }) => ({ where, answer: entry.safeParse(parsed(line)) }));
    const tokens = answers.flatMap(({ answer }) => (answer.success ? [tokenOf(answer.data)] : []));
    const problems = [
      ...answers.flatMap(({ where, answer }) =>
        answer.success ? [] : [`${where}: ${answer.error.issues.map(issueWords).join(', ')}`],
      ),
      ...(tokens.length > MAX_TOKENS ? [`holds more than ${MAX_TOKENS} tokens`] : []),
      ...repeated(tokens.map(({ sha256 }) => sha256)).map(() => 'holds the same token twice'),
    ];
    for (const message of problems) context.addIssue({ code: 'custom', message });
    return problems.length > 0 ? z.NEVER : tokens;
  });

function tokenOf({ name, tenant, sha256, roles }: z.output<typeof entry>): ProducerToken {
  return { name, tenantId: tenant, sha256, roles };
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function issueWords(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0
    ? 'is not a JSON object of a token'
    : `${issue.path.join('.')} ${issue.message}`;
}
