import { describe, expect, it } from 'vitest';
import type { TopicDescription, TopicSpec } from '../../../src/broker/log.ts';
import { applyTopicsPlan, topicsPlan } from '../../../src/ops/topics-plan.ts';

function aSpec(change: Partial<TopicSpec> = {}): TopicSpec {
  return {
    topic: 'a',
    partitions: 4,
    replicationFactor: 1,
    config: { 'cleanup.policy': 'delete', 'retention.ms': '604800000' },
    ...change,
  };
}

async function planned(found: Partial<TopicDescription> | null, wanted = aSpec()) {
  const description = found === null ? null : { ...aSpec(), minInSyncReplicas: 1, ...found };
  const admin = { describe: () => Promise.resolve(new Map([[wanted.topic, description]])) };
  const [step] = await topicsPlan(admin, [wanted]);
  return step;
}

describe('topicsPlan', () => {
  it('creates what is missing', async () => {
    expect(await planned(null)).toEqual({ kind: 'create', spec: aSpec() });
  });

  it('leaves alone what is as it should be', async () => {
    expect(await planned({})).toEqual({ kind: 'ok', topic: 'a' });
  });

  it('alters only the entries that differ and tells the change', async () => {
    expect(await planned({ config: { 'cleanup.policy': 'compact', 'retention.ms': '604800000' } })).toEqual({
      kind: 'alter',
      topic: 'a',
      config: { 'cleanup.policy': 'delete' },
      changes: ['cleanup.policy compact → delete'],
    });
  });

  it('never shortens what an operator made longer', async () => {
    for (const retention of ['604800001', '-1']) {
      const config = { 'cleanup.policy': 'delete', 'retention.ms': retention };
      expect(await planned({ config })).toMatchObject({ kind: 'ok' });
    }
    const config = { 'cleanup.policy': 'delete', 'retention.ms': '1000' };
    expect(await planned({ config })).toMatchObject({
      kind: 'alter',
      config: { 'retention.ms': '604800000' },
    });
  });

  it('refuses another partition count and too few copies', async () => {
    expect(await planned({ partitions: 8 })).toMatchObject({ kind: 'refuse' });
    expect(await planned({}, aSpec({ replicationFactor: 3 }))).toMatchObject({ kind: 'refuse' });
    expect(await planned({ replicationFactor: 3 })).toMatchObject({ kind: 'ok' });
  });
});

describe('applyTopicsPlan', () => {
  it('creates and alters what the plan names and nothing else', async () => {
    const done: unknown[] = [];
    const admin = {
      create: (specs: readonly TopicSpec[]) =>
        Promise.resolve(void done.push(['create', specs.map((s) => s.topic)])),
      alter: (topic: string, config: unknown) => Promise.resolve(void done.push(['alter', topic, config])),
    };
    await applyTopicsPlan(admin, [
      { kind: 'ok', topic: 'a' },
      { kind: 'create', spec: aSpec({ topic: 'b' }) },
      { kind: 'alter', topic: 'c', config: { x: '1' }, changes: [] },
      { kind: 'refuse', topic: 'd', sentence: 'no' },
    ]);
    expect(done).toEqual([
      ['create', ['b']],
      ['alter', 'c', { x: '1' }],
    ]);
  });
});
