// What a row has to say about one command: its line in the timeline, or why asking would be in vain.
import { COMMAND_RESULTS, type CommandResult } from '../domain/command.ts';
import type { Notification } from '../domain/notification.ts';
import type { CommandKind } from '../domain/notification-command.ts';
import { parseTrail, type TrailEntry } from '../domain/trail.ts';

export interface CommandAnswer {
  readonly result: CommandResult;
  readonly entry: TrailEntry;
}

/** null: not answered yet, or the timeline has forgotten the line. */
export function answerIn(row: Notification, commandId: string): CommandAnswer | null {
  const entry = parseTrail(row.trail).findLast(
    ({ rule, facts }) => rule.startsWith('command-') && facts['id'] === commandId,
  );
  const result = COMMAND_RESULTS.find((known) => known === entry?.facts['result']);
  return entry === undefined || result === undefined ? null : { result, entry };
}

/** Whether the row will refuse the command as it is now; the row's own answer may still be another. */
export function refusalAhead(
  row: Notification,
  kind: Exclude<CommandKind, 'redrive' | 'mark-read'>,
): CommandResult | null {
  switch (kind) {
    case 'cancel':
      return row.final === null ? null : 'refused-final';
    case 'release':
      return row.hold === null ? 'refused-not-held' : null;
    case 'close':
      return row.final !== null && row.status === 'Failed' ? null : 'refused-not-failed';
  }
}
