// What happens to the servers and the processes, and when: drawn from the seed alone, so that the same seed is the same run and the
// schedule can be read before anything is started.
import { fractionOf } from '../../src/lab/vendor-plan.ts';

export const OUTAGES = [
  'broker',
  'postgres-restart',
  'postgres-terminate',
  'registry',
  'redis',
  'provider-refuses',
  'provider-hangs',
  'provider-cuts',
] as const;
export type Outage = (typeof OUTAGES)[number];

export type Step =
  | {
      readonly kind: 'kill' | 'stop' | 'freeze' | 'extra' | 'config';
      readonly gapMs: number;
      readonly who: number;
    }
  | { readonly kind: 'outage'; readonly gapMs: number; readonly outage: Outage; readonly isAbrupt: boolean };

export interface Schedule {
  /** Each outage once, in the order of this seed. */
  readonly outages: readonly Extract<Step, { kind: 'outage' }>[];
  /** One after the other until the time is over. */
  readonly drawn: readonly Step[];
}

const MIN_GAP_MS = 300;
const SPREAD_MS = 2_200;
/** How often each comes up, of 100; the rest are kills. */
const SHARES = { stop: 12, freeze: 8, extra: 10, config: 10, outage: 10 } as const;

/** `processes`: how many run; `steps`: how many are drawn. */
export function scheduleOf(
  seed: string,
  { processes, steps }: { readonly processes: number; readonly steps: number },
): Schedule {
  const draw = (what: string) => fractionOf(`${seed}/${what}`);
  const shuffled = OUTAGES.toSorted((a, b) => draw(`order/${a}`) - draw(`order/${b}`));
  return {
    outages: shuffled.map((outage) => outageStep(outage, draw, outage)),
    drawn: Array.from({ length: steps }, (_, index) => drawnStep(index, draw, processes)),
  };
}

type Draw = (what: string) => number;

function drawnStep(index: number, draw: Draw, processes: number): Step {
  const kind = kindOf(draw(`${index}/kind`) * 100);
  if (kind === 'outage') {
    const outage = OUTAGES[Math.floor(draw(`${index}/outage`) * OUTAGES.length)] ?? 'broker';
    return outageStep(outage, draw, String(index));
  }
  return { kind, gapMs: gapOf(draw, String(index)), who: Math.floor(draw(`${index}/who`) * processes) };
}

function kindOf(percent: number): Step['kind'] {
  let upTo = 0;
  for (const [kind, share] of Object.entries(SHARES)) {
    upTo += share;
    if (percent < upTo) return kind as keyof typeof SHARES;
  }
  return 'kill';
}

function outageStep(outage: Outage, draw: Draw, name: string): Extract<Step, { kind: 'outage' }> {
  return { kind: 'outage', outage, gapMs: gapOf(draw, name), isAbrupt: draw(`${name}/abrupt`) < 0.5 };
}

function gapOf(draw: Draw, name: string): number {
  return Math.round(MIN_GAP_MS + draw(`${name}/gap`) * SPREAD_MS);
}

/** `0.8 s, then kill 1`. */
export function stepWords(step: Step): string {
  const what =
    step.kind === 'outage'
      ? `${step.outage}${step.isAbrupt ? ' (abrupt)' : ''}`
      : step.kind === 'extra'
        ? 'extra process'
        : step.kind === 'config'
          ? 'channel off and on'
          : `${step.kind} ${step.who}`;
  return `${(step.gapMs / 1_000).toFixed(1)} s ${what}`;
}
