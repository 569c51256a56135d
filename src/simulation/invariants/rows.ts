// What no commit may do to a row, whoever it is from: watched at every single one.

import { NO_CHANNEL } from '../../domain/channel.ts';
import { isStanding } from '../../domain/evidence.ts';
import type { Notification } from '../../domain/notification.ts';
import { lastLine } from '../../domain/trail.ts';
import type { Stage } from '../stage.ts';
import type { Transition } from '../witness.ts';

export function rowInvariants({ world, witness }: Stage): void {
  witness.onTransition((transition) => {
    for (const [name, judge] of JUDGES) {
      const detail = judge(transition);
      if (detail !== null)
        world.violate(name, `${transition.after.id.slice(-2)} by ${transition.by}: ${detail}`);
    }
    world.tell(transition.by, () => `commits ${wordsOf(transition)}`);
  });
}

type Judge = (transition: Transition) => string | null;

const JUDGES: readonly (readonly [string, Judge])[] = [
  ['S4 Sent is sticky', sentIsSticky],
  ['S7 versions rise by one', versionsRise],
  ['S9 publish first', publishFirst],
  ['AC7 a row that is reopened begins the next cycle', reopenedIsNext],
  ['S14 a hold uses no attempt', holdUsesNoAttempt],
  ['S17 status and read mark are apart', readMarkIsApart],
  ['S23 terminal Failed is final', failedIsFinal],
  ['S2 a waiting row has a due time', waitingIsDue],
];

function sentIsSticky({ before, after }: Transition): string | null {
  if (before?.status !== 'Sent' || after.status === 'Sent' || isRedriven(before, after)) return null;
  const failed = after.evidence.filter((message) => !isStanding(message));
  const isOwn = failed.some(({ messageId }) => messageId === before.providerMessageId);
  const isAssumed = before.final === 'assumed' && failed.length > 0 && after.evidence !== before.evidence;
  return isOwn || isAssumed ? null : `Sent became ${after.status}`;
}

function versionsRise({ before, after }: Transition): string | null {
  const step = after.version - (before?.version ?? 0);
  if (before !== null && step === 0)
    return isOnlyMarked(before, after) ? null : 'changed without a new version';
  return step === 1 ? null : `version ${before?.version} became ${after.version}`;
}

const MARKED: ReadonlySet<keyof Notification> = new Set(['publishedSeq', 'wakeAtMs', 'wakeInLog']);

function isOnlyMarked(before: Notification, after: Notification): boolean {
  return (Object.keys(after) as (keyof Notification)[]).every(
    (name) => MARKED.has(name) || before[name] === after[name],
  );
}

/** A person asked for it, and the row says so. */
function isRedriven(before: Notification, after: Notification): boolean {
  return after.cycle === before.cycle + 1 && lastLine(after.trail).includes(' command-redrive result=done');
}

/** An outcome that the topic does not have yet is never replaced by the next one, nor taken back. */
function publishFirst({ before, after }: Transition): string | null {
  if (before === null) return null;
  if (after.outcomeSeq < before.outcomeSeq) return 'an outcome was taken back';
  if (after.publishedSeq < before.publishedSeq) return 'a mark was taken back';
  if (after.outcomeSeq === before.outcomeSeq) return null;
  if (after.outcomeSeq !== before.outcomeSeq + 1) return 'an outcome was skipped';
  return after.publishedSeq >= before.outcomeSeq
    ? null
    : `outcome ${before.outcomeSeq} was not published before ${after.outcomeSeq}`;
}

/** The provider takes the key of a cycle for the message that failed. */
function reopenedIsNext({ before, after }: Transition): string | null {
  if (before === null || before.final === null || after.final !== null) return null;
  if (before.channel === NO_CHANNEL || after.cycle === before.cycle + 1) return null;
  // Another message of the same cycle may be out: it is replaced or waited for.
  const { unknown } = after;
  if (after.cycle === before.cycle && unknown !== null && unknown.resolution !== 'resend') return null;
  return `cycle ${before.cycle} became ${after.cycle}`;
}

function holdUsesNoAttempt({ before, after }: Transition): string | null {
  if (before === null || after.hold === null || before.hold === after.hold) return null;
  return after.attempts <= before.attempts
    ? null
    : `attempts rose to ${after.attempts} with hold ${after.hold}`;
}

function readMarkIsApart({ before, after }: Transition): string | null {
  if (before === null || before.readAtMs === after.readAtMs) return null;
  return before.status === after.status ? null : 'one commit changed the read mark and the status';
}

function failedIsFinal({ before, after }: Transition): string | null {
  if (before?.status !== 'Failed' || before.final === null || isRedriven(before, after)) return null;
  if (before.channel === NO_CHANNEL) return null;
  const isSame =
    after.status === 'Failed' && after.final === before.final && after.outcomeSeq === before.outcomeSeq;
  return isSame || after.evidence !== before.evidence ? null : `terminal Failed became ${after.status}`;
}

function waitingIsDue({ after }: Transition): string | null {
  if (after.final !== null || after.hold !== null || after.wakeAtMs !== null) return null;
  return 'waits without a due time';
}

function wordsOf({ before, after }: Transition): string {
  const last = lastLine(after.trail);
  const code =
    after.version === before?.version ? `mark ${after.publishedSeq}` : last.slice(last.indexOf(' ') + 1);
  const wake = after.wakeAtMs === null ? '' : `, wakes at ${after.wakeAtMs}`;
  return `${after.id.slice(-2)} v${after.version}: ${code} (${after.status}${after.final === null ? '' : `, final ${after.final}`}, attempts ${after.attempts}${wake})`;
}
