// The JSON values in a text: one value, an array of values, or one value a line. Each keeps where it stood, for error messages.
import { messageOf } from '../../runtime/fault.ts';

export interface JsonValue {
  /** `line 3`, or `item 2` of an array. */
  readonly where: string;
  readonly value: unknown;
}

export type JsonAnswer =
  | { readonly kind: 'values'; readonly values: readonly JsonValue[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

export function jsonValues(text: string): JsonAnswer {
  const whole = parsed(text);
  if (whole.kind === 'value') {
    if (!Array.isArray(whole.value))
      return { kind: 'values', values: [{ where: 'line 1', value: whole.value }] };
    const items: readonly unknown[] = whole.value;
    return { kind: 'values', values: items.map((value, index) => ({ where: `item ${index + 1}`, value })) };
  }
  const lines = text
    .split('\n')
    .map((line, index) => ({ where: `line ${index + 1}`, line }))
    .filter(({ line }) => line.trim() !== '');
  // One line that is no JSON, or a value over several lines that is none: say what the parser says of the whole.
  if (lines.length < 2 || parsed(lines[0]?.line ?? '').kind === 'problem') {
    return { kind: 'invalid', problems: [whole.problem] };
  }
  const answers = lines.map(({ where, line }) => ({ where, answer: parsed(line) }));
  const problems = answers.flatMap(({ where, answer }) =>
    answer.kind === 'problem' ? [`${where}: ${answer.problem}`] : [],
  );
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'values',
    values: answers.flatMap(({ where, answer }) =>
      answer.kind === 'value' ? [{ where, value: answer.value }] : [],
    ),
  };
}

type Parsed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly problem: string };

function parsed(text: string): Parsed {
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'problem', problem: `is not JSON: ${messageOf(error, 120)}` };
  }
}
