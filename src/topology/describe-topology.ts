// The topology in words and as a Mermaid diagram. Pure; the JSON form is the value itself.
import type { Topology } from './graph.ts';

export function topologyText(topology: Topology): string {
  const lines = [
    `Topology of ${topology.consumer} (group ${topology.groupId})`,
    '',
    'Sources (partition i of all of them is task i):',
    ...topology.sources.map(
      (source) =>
        `  ${source.topic}${source.tier === null ? '' : `  read ${source.tier.name} after it was written`}`,
    ),
    '',
    'Processors:',
    ...topology.processors.map(({ name, does }) => `  ${name.padEnd(8)} ${does}`),
    '',
    'Stores:',
    ...topology.stores.map((store) => `  ${store}`),
    '',
    'Sinks:',
    ...topology.sinks.map(({ topic }) => `  ${topic}`),
    '',
    'Edges:',
    ...topology.edges.map(([from, to]) => `  ${from} --> ${to}`),
  ];
  return `${lines.join('\n')}\n`;
}

export function topologyMermaid(topology: Topology): string {
  const shapes = new Map<string, string>([
    ...topology.sources.map(
      ({ kind, topic, tier }) =>
        [kind, `${kind}[/"${tier === null ? topic : `${topic.slice(0, -tier.name.length)}*`}"/]`] as const,
    ),
    ...topology.processors.map(({ name }) => [name, `${name}("${name}")`] as const),
    ...topology.stores.map((store) => [store, `${store}[("${store}")]`] as const),
    ...topology.sinks
      .filter(({ kind }) => kind !== 'retry')
      .map(({ kind, topic }) => [kind, `${kind}[/"${topic}"/]`] as const),
  ]);
  const edges = topology.edges
    .filter(([from, to]) => shapes.has(from) && shapes.has(to))
    .map(([from, to]) => `  ${from} --> ${to}`);
  return ['flowchart LR', ...[...shapes.values()].map((shape) => `  ${shape}`), ...edges, ''].join('\n');
}
