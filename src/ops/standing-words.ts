// What stands in the way of a notification right now, said by people: who paused or closed it, since when, why, and what ends it.
import type { OperatorGate } from '../domain/operator-gate.ts';
import { isClosedAt } from '../domain/operator-gate.ts';
import { type PauseKey, pauseScope } from '../domain/pause.ts';
import { isoTime } from '../runtime/clock.ts';
import type { Controls } from '../state/store.ts';
import { pauseWords } from './timeline-words.ts';

/** What operators have set; null: it was not asked. */
export type Standing = Pick<Controls, 'pauses' | 'gates'> | null;

/** Completes "held because …; …". */
export function pauseStands(key: PauseKey, standing: Standing): string {
  const pause = standing?.pauses.find((one) => one.key === key);
  if (pause !== undefined)
    return `${pauseWords(key)} (${pause.by}, since ${isoTime(pause.sinceMs)}: ${pause.reason}); it goes on after \`${resumeCommand(key)}\``;
  if (standing === null) return `${pauseWords(key)}; it goes on after \`${resumeCommand(key)}\``;
  return `${pauseWords(key)}; that has ended, and it is released at its channel's pace`;
}

/** ` (ada closed it until …: reason)`; empty when no operator keeps the gate closed. */
export function gateStands(providerKey: string, nowMs: number, standing: Standing): string {
  const gate = standing?.gates.find((one) => one.providerKey === providerKey);
  return gate !== undefined && isClosedAt(gate, nowMs) ? ` (${closingWords(gate)})` : '';
}

function closingWords({ providerKey, by, untilMs, reason }: OperatorGate): string {
  const until = untilMs === null ? `until \`pin gate open ${providerKey}\`` : `until ${isoTime(untilMs)}`;
  return `${by} closed it ${until}: ${reason}`;
}

/** The command that ends the pause. */
export function resumeCommand(key: PauseKey): string {
  const scope = pauseScope(key);
  switch (scope?.kind) {
    case 'channel':
      return `pin resume --channel ${scope.channel}`;
    case 'tenant':
      return scope.tenantId === null ? 'pin resume --tenant-none' : `pin resume --tenant ${scope.tenantId}`;
    case 'template':
      return `pin resume --template ${scope.templateKey}`;
    case undefined:
      return 'pin resume';
  }
}
