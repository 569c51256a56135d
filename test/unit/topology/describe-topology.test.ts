import { expect, test } from 'vitest';
import { topicsOf } from '../../../src/streams/topics.ts';
import { topologyMermaid, topologyText } from '../../../src/topology/describe-topology.ts';
import { notificationTopology } from '../../../src/topology/graph.ts';

const topology = notificationTopology(topicsOf());

test('every edge of the topology joins two things that it has', () => {
  for (const consumer of ['notification-delivery', 'audit']) {
    const value = notificationTopology(topicsOf({ consumer }));
    const known = new Set<string>([
      ...value.sources.map(({ kind }) => kind),
      ...value.processors.map(({ name }) => name),
      ...value.stores,
      ...value.sinks.map(({ kind }) => kind),
    ]);
    expect(value.edges.flat().filter((end) => !known.has(end))).toEqual([]);
  }
});

test('another consumer reads the same requests, has tiers of its own, and writes no outcomes', () => {
  const audit = notificationTopology(topicsOf({ consumer: 'audit' }));
  expect(audit.groupId).not.toBe(topology.groupId);
  expect(audit.sources[0]).toEqual(topology.sources[0]);
  const tierOf = ({ sources }: typeof audit) => sources.find(({ kind }) => kind === 'retry')?.topic;
  expect(tierOf(audit)).not.toBe(tierOf(topology));
  expect(audit.sinks.some(({ kind }) => kind === 'dispatched')).toBe(false);
});

test('the text names every topic, every step and every way between them', () => {
  const text = topologyText(topology);
  for (const { topic } of [...topology.sources, ...topology.sinks]) expect(text).toContain(`  ${topic}`);
  expect(text).toContain('pin.notifications.retry.15m  read 15m after it was written');
  expect(text).toContain('  claim --> send\n');
  expect(text).toContain('group pin.notification-processor');
});

test('the diagram draws all tiers as one', () => {
  const lines = topologyMermaid(topology).split('\n');
  expect(lines[0]).toBe('flowchart LR');
  expect(lines.filter((line) => line.includes('retry['))).toEqual(['  retry[/"pin.notifications.retry.*"/]']);
  expect(lines).toContain('  settle --> publish');
});

test('a prefix that looks like a tier keeps its name in the diagram', () => {
  const odd = notificationTopology(topicsOf({ prefix: 'team15m', tierDelaysMs: [900_000] }));
  expect(topologyMermaid(odd)).toContain('retry[/"team15m.retry.*"/]');
});
