import { describe, expect, it } from 'vitest';
import { jsonValues } from '../../../../src/app/requests/json-values.ts';
import { requestOfInput } from '../../../../src/app/requests/request-input.ts';
import { anEnvironment, NOW_MS } from '../an-environment.ts';

const good = { channel: 'email', recipient: 'a@example.org', body: { text: 'hi' } };
const environment = anEnvironment();

function requestOf(input: object) {
  const answer = requestOfInput(environment, input);
  if (answer.kind === 'invalid') expect.fail(answer.problems.join('\n'));
  return answer.request;
}

function problemsOf(input: unknown): readonly string[] {
  const answer = requestOfInput(environment, input);
  return answer.kind === 'invalid' ? answer.problems : [];
}

describe('a request as JSON', () => {
  it('gets an id and a time when it has none, and keeps its own', () => {
    const fresh = requestOf(good);
    expect(fresh.notificationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(fresh).toMatchObject({
      requestedAtMs: NOW_MS,
      notBeforeMs: null,
      tenantId: null,
      data: {},
      template: null,
    });
    expect(requestOf(good).notificationId).not.toBe(fresh.notificationId);
    const id = '0D4F8C1E-3B7A-4A51-9C55-123456789012';
    expect(requestOf({ ...good, notificationId: id }).notificationId).toBe(id.toLowerCase());
  });

  it('takes times as ISO 8601, as epoch milliseconds, and as a wait from now', () => {
    const { notBeforeMs, notAfterMs, requestedAtMs } = requestOf({
      ...good,
      notBefore: '15m',
      notAfter: '2027-02-01T00:00:00Z',
      requestedAt: NOW_MS - 1,
    });
    expect([notBeforeMs, notAfterMs, requestedAtMs]).toEqual([
      NOW_MS + 900_000,
      Date.UTC(2027, 1, 1),
      NOW_MS - 1,
    ]);
  });

  it('writes numbers and flags of the data as text', () => {
    expect(requestOf({ ...good, data: { code: 1234, vip: true } }).data).toEqual({
      code: '1234',
      vip: 'true',
    });
  });

  it.each([
    ['an unknown field', { ...good, to: 'x' }, /to/],
    ['an unknown channel', { ...good, channel: 'fax' }, /^channel: must be one of email/],
    ['no recipient', { channel: 'email', body: { text: 'x' } }, /^recipient: /],
    ['a list of recipients', { ...good, recipient: ['a', 'b'] }, /^recipient: /],
    ['no uuid', { ...good, notificationId: 'x' }, /^notificationId: is not a uuid/],
    ['no time', { ...good, notAfter: 'tomorrow' }, /^notAfter: is neither a time/],
    ['neither template nor body', { channel: 'email', recipient: 'a@b.c' }, /exactly one/],
    ['template and body', { ...good, template: { key: 'k' } }, /exactly one/],
    ['an end before its begin', { ...good, notBefore: '2h', notAfter: '1h' }, /notAfter/],
    ['no object', 'text', /object/],
  ])('refuses %s', (_, input, problem) => {
    expect(problemsOf(input).join('\n')).toMatch(problem);
  });
});

describe('jsonValues', () => {
  it('takes one value, also over several lines, an array, and one value a line', () => {
    expect(jsonValues('{\n"a": 1\n}')).toEqual({
      kind: 'values',
      values: [{ where: 'line 1', value: { a: 1 } }],
    });
    expect(jsonValues('[1, 2]')).toMatchObject({
      values: [{ where: 'item 1' }, { where: 'item 2', value: 2 }],
    });
    expect(jsonValues('{}\n\n{"a":1}\n')).toMatchObject({
      values: [{ where: 'line 1' }, { where: 'line 3', value: { a: 1 } }],
    });
  });

  it('says which line is no JSON', () => {
    expect(jsonValues('{}\n{"a":\n{}')).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringMatching(/^line 2: is not JSON/)],
    });
    expect(jsonValues('{\n"a":\n}')).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringMatching(/^is not JSON/)],
    });
    expect(jsonValues('')).toMatchObject({ kind: 'invalid' });
  });
});
