// No webhook is lost: what a vendor said is in the row, or kept for whoever asks later, and the counts come out even.
import { VERDICTS, type Verdict } from '../../domain/notification.ts';
import type { Report, Stage } from '../stage.ts';
import type { Named } from './at-rest.ts';

export const webhookInvariants: Named = {
  'S10 no webhook is lost': everyReportCounts,
  'S10 strangers are kept': strangersAreKept,
  'S10 webhooks are counted once': countsComeOutEven,
};

function everyReportCounts({ reports, database }: Stage): string | null {
  for (const report of reports) {
    const row = database.rows.get(report.message.reference)?.row;
    if (row === undefined) return `${report.message.messageId} was reported on and has no row`;
    const known = row.evidence.find(({ messageId }) => messageId === report.message.messageId)?.verdict;
    const stamps = { complained: row.complainedAtMs, unsubscribed: row.unsubscribedAtMs, read: row.seenAtMs };
    const isKnown =
      report.verdict === 'delivered' || report.verdict === 'failed'
        ? known !== undefined && VERDICTS.indexOf(known) >= VERDICTS.indexOf(verdictOf(report))
        : stamps[report.verdict] !== null;
    const isKept = [...database.parked.values()].some(
      ({ webhook }) =>
        webhook.providerMessageId === report.message.messageId && webhook.verdict === report.verdict,
    );
    if (!isKnown && !isKept)
      return `${report.message.messageId}: ${report.verdict} was said, the row knows ${known}`;
  }
  return null;
}

function verdictOf({ verdict, errorClass }: Report): Verdict {
  if (verdict === 'delivered') return 'delivered';
  return errorClass === null ? 'failed-transient' : 'failed-hard';
}

function strangersAreKept({ strangers, database }: Stage): string | null {
  const kept = [...database.parked.values()].map(({ webhook }) => webhook.notificationId);
  const lost = strangers.find((id) => !kept.includes(id));
  return lost === undefined ? null : `the report on ${lost} is not kept`;
}

function countsComeOutEven({ counted }: Stage): string | null {
  const total = (start: string) =>
    [...counted].reduce(
      (sum, [name, n]) => (name.startsWith(`pin_webhooks_total ${start}`) ? sum + n : sum),
      0,
    );
  const received = total('received');
  const cameTo = total('applied') + total('ignored-') + total('dead-') + total('parked');
  return received === cameTo ? null : `${received} received, ${cameTo} applied, ignored, parked or dead`;
}
