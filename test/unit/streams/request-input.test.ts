import { describe, expect, it } from 'vitest';
import { requestsOfInput } from '../../../src/streams/request-input.ts';
import { anEnvironment, NOW_MS } from '../app/an-environment.ts';

const good = { channel: 'email', recipient: 'a@example.org', body: { text: 'hi' } };
const noOne = { channel: 'email', body: { text: 'hi' } };
const copy = { userId: 'u', title: 't', body: 'b' };
const environment = anEnvironment();

function requestOf(input: object) {
  const answer = requestsOfInput(environment, input);
  if (answer.kind === 'invalid') expect.fail(answer.problems.map(({ words }) => words).join('\n'));
  const [request] = answer.requests;
  return request ?? expect.fail('no request came of it');
}

function problemsOf(input: unknown): readonly string[] {
  const answer = requestsOfInput(environment, input);
  return answer.kind === 'invalid' ? answer.problems.map(({ words }) => words) : [];
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

  it('makes ids that sort by their time, as uuid v7', () => {
    const { notificationId } = requestOf(good);
    expect(notificationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(notificationId.replace('-', '').slice(0, 12), 16)).toBe(NOW_MS);
  });

  it('for many recipients becomes one for each, with ids that are the same when it is asked again', () => {
    const notificationId = '0d4f8c1e-3b7a-4a51-9c55-123456789012';
    const { recipient: _, ...rest } = good;
    const many = { ...rest, notificationId, to: ['ada@example.org', 'bob@example.org', 'ada@example.org'] };
    const [first, again] = [requestsOfInput(environment, many), requestsOfInput(environment, many)];
    expect(first).toMatchObject({
      sourceId: notificationId,
      requests: [
        { recipient: 'ada@example.org', parentId: notificationId },
        { recipient: 'bob@example.org', parentId: notificationId },
      ],
    });
    expect(again).toEqual(first);
    expect(requestOf({ ...rest, notificationId, to: ['ada@example.org'] })).toMatchObject({
      notificationId,
      parentId: null,
    });
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
    ['nobody', { ...noOne, to: [] }, /^to names nobody/],
    ['one of many who is several', { ...noOne, to: ['a@b.c', 'd@e.f,g@h.i'] }, /^recipient holds several/],
    [
      'an in-app copy for many',
      { ...noOne, to: ['a@b.c', 'd@e.f'], inApp: copy },
      /^inApp belongs to one user/,
    ],
    ['no object', 'text', /object/],
  ])('refuses %s', (_, input, problem) => {
    expect(problemsOf(input).join('\n')).toMatch(problem);
  });
});
