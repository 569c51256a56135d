import { describe, expect, test } from 'vitest';
import { SCRIPTED_FACTS, scriptedProvider } from '../../../../src/providers/scripted/scripted-provider.ts';
import { aCall, anId, yes } from '../a-call.ts';

describe('scriptedProvider', () => {
  test('without a script every call delivers one message', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS);

    expect(await provider.send(aCall(), yes)).toEqual({ kind: 'accepted', providerMessageId: 'scripted-1' });
    expect(provider.messages).toMatchObject([{ reference: anId(), cycle: 1, recipient: 'ada@example.com' }]);
  });

  test('answers in the order of the script, then by the fallback', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS, {
      steps: [{ kind: 'transient', providerCode: 'busy' }],
      fallback: { kind: 'refused', code: 'NTF_PROVIDER_BLOCKED', providerCode: null },
    });

    expect((await provider.send(aCall(), yes)).kind).toBe('transient');
    expect((await provider.send(aCall({ attempt: 2 }), yes)).kind).toBe('refused');
    expect((await provider.send(aCall({ attempt: 3 }), yes)).kind).toBe('refused');
    expect(provider.messages).toEqual([]);
  });

  test('steps of one reference do not touch another', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS);
    provider.addStepsFor(anId(2), { kind: 'transient', providerCode: null });

    expect((await provider.send(aCall({ reference: anId(1) }), yes)).kind).toBe('accepted');
    expect((await provider.send(aCall({ reference: anId(2) }), yes)).kind).toBe('transient');
    expect((await provider.send(aCall({ reference: anId(2) }), yes)).kind).toBe('accepted');
  });

  test('a lost answer leaves the message delivered, and the same key again finds it', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS, { steps: [{ kind: 'accept-then-unknown' }] });

    expect((await provider.send(aCall(), yes)).kind).toBe('unknown');
    expect(await provider.send(aCall({ attempt: 2 }), yes)).toEqual({
      kind: 'accepted',
      providerMessageId: 'scripted-1',
    });
    expect(provider.messages).toHaveLength(1);
  });

  test('without a capability the same key again is a second message', async () => {
    const provider = scriptedProvider(
      { ...SCRIPTED_FACTS, capability: 'none' },
      { steps: [{ kind: 'accept-then-unknown' }] },
    );

    await provider.send(aCall(), yes);
    await provider.send(aCall({ attempt: 2 }), yes);

    expect(provider.messages).toHaveLength(2);
  });

  test('a lookup finds what was delivered in that cycle', async () => {
    const provider = scriptedProvider({ ...SCRIPTED_FACTS, capability: 'lookup' });
    await provider.send(aCall(), yes);

    expect(await provider.lookUp(anId(), 1)).toEqual({ kind: 'found', providerMessageId: 'scripted-1' });
    expect(await provider.lookUp(anId(), 2)).toEqual({ kind: 'absent' });
  });

  test('a waiting call has no answer until it is released', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS, { steps: [{ kind: 'wait' }] });
    const answer = provider.send(aCall(), yes);
    expect(provider.openCalls()).toBe(1);

    provider.release();

    expect((await answer).kind).toBe('accepted');
    expect(provider.openCalls()).toBe(0);
  });

  test('a call that is still connecting asks for permission only once it is connected', async () => {
    const provider = scriptedProvider(SCRIPTED_FACTS, { steps: [{ kind: 'connect-slowly' }] });
    let mayStart = true;
    const answer = provider.send(aCall(), () => mayStart);

    mayStart = false;
    provider.release();

    expect(await answer).toEqual({ kind: 'not-started' });
    expect(provider.messages).toEqual([]);
  });
});
