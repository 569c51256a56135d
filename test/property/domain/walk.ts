// A random walk over the rules, step by step. No promise, no clock, no randomness: a walk is its steps.
import { newNotification } from '../../../src/domain/admission.ts';
import type { ChannelConfig } from '../../../src/domain/channel.ts';
import { planNew } from '../../../src/domain/plan.ts';
import { aConfig, aRequest, NOW_MS } from '../../support/a-notification.ts';
import { answer, carryOut, lookUp, publishFirst, release, repeat, start, wake } from './walk-process.ts';
import { command, report } from './walk-protocol.ts';
import { factsOf, type Step, type Walk, type WalkCall } from './walk-state.ts';

/** The request's record is read: the row is inserted. */
export function admit(walk: Walk): void {
  const { notBeforeInMs, notAfterInMs } = walk.setup;
  const request = aRequest({
    notBeforeMs: notBeforeInMs === null ? null : NOW_MS + notBeforeInMs,
    notAfterMs: notAfterInMs === null ? null : NOW_MS + notAfterInMs,
    inApp: { userId: 'u', title: 't', body: 'b' },
  });
  const facts = factsOf(walk);
  carryOut(walk, planNew(newNotification(request), facts), facts);
}

/** Runs `act` on one of `list`, if there is any. */
function onOne<T>(list: readonly T[], pick: number, act: (one: T) => void): void {
  const one = list[pick % Math.max(1, list.length)];
  if (one !== undefined) act(one);
}

export function take(walk: Walk, step: Step): void {
  const inState = (state: WalkCall['state']) => walk.calls.filter((call) => call.state === state);
  switch (step.kind) {
    case 'advance':
      walk.nowMs += step.ms;
      return;
    case 'wake':
      wake(walk, step.when);
      return;
    case 'start':
      onOne(inState('unsent'), step.pick, (call) => start(walk, call, step.fate));
      return;
    case 'attempt':
      wake(walk, 'until-due');
      for (const call of inState('unsent')) start(walk, call, step.fate);
      for (const call of inState('open')) answer(walk, call);
      return;
    case 'release':
      onOne(inState('unsent'), step.pick, (call) => release(walk, call));
      return;
    case 'answer':
      onOne(inState('open'), step.pick, (call) => answer(walk, call));
      return;
    case 'die':
      onOne([...inState('unsent'), ...inState('open')], step.pick, (call) => {
        call.state = 'gone';
      });
      return;
    case 'repeat':
      onOne(walk.answered, step.pick, (said) => repeat(walk, said));
      return;
    case 'look-up':
      lookUp(walk, step.isUnavailable);
      return;
    case 'configure':
      walk.config = step.over === null ? null : aConfig({ ...walk.config, ...step.over });
      return;
    case 'gate':
      walk.gateOpensAtMs = walk.nowMs + step.closedForMs;
      return;
    case 'publish':
      publishFirst(walk, step.isMarked);
      return;
    case 'report':
      report(walk, step);
      return;
    case 'command':
      command(walk, step);
      return;
    case 'draw':
      walk.fraction = step.fraction;
  }
}

const MAX_CALM_STEPS = 100;

/** Faults are over: calls are made and answered, lookups answer, wake-ups come when due. True when the row is final, or held on an off channel. */
export function calm(walk: Walk, over: Partial<ChannelConfig>): boolean {
  const { onUnknown, maxAttempts, silenceMs, lastProviderKey: providerKey } = walk.setup;
  walk.config = aConfig({ onUnknown, maxAttempts, providerKey, ...over });
  walk.nowMs += silenceMs;
  walk.gateOpensAtMs = 0;
  for (let step = 0; step < MAX_CALM_STEPS; step += 1) {
    for (const call of walk.calls.filter(({ state }) => state === 'unsent')) start(walk, call, 'accept');
    for (const call of walk.calls.filter(({ state }) => state === 'open')) answer(walk, call);
    publishFirst(walk, true);
    lookUp(walk, false);
    if (isAtRest(walk)) return true;
    wake(walk, 'until-due');
  }
  return false;
}

function isAtRest({ row, config }: Walk): boolean {
  return row !== null && (row.final !== null || (row.hold !== null && config?.isEnabled === false));
}
