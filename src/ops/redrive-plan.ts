// A redrive plan is a file: exactly which notifications, as they were seen, how fast, and why. Whoever applies it does that and nothing
// else: the hash covers every word of it, and the command for each notification has an id that follows from the hash, so that applying
// a plan twice does nothing twice.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { newestStanding } from '../domain/evidence.ts';
import type { Notification } from '../domain/notification.ts';
import { parseNotificationId } from '../domain/notification-id.ts';
import { uuidOfName } from '../runtime/ids.ts';
import type { FailedRow } from '../state/failed-rows.ts';

export const MAX_PLANNED = 10_000;
const PLAN_KIND = 'pin-redrive-plan';
const SCHEMA_VERSION = 1;
const SAMPLE_SIZE = 5;

const entrySchema = z.strictObject({
  id: z.string().transform((text, context) => {
    const id = parseNotificationId(text);
    if (id !== null) return id;
    context.addIssue({ code: 'custom', message: 'is not a uuid' });
    return z.NEVER;
  }),
  expectedCycle: z.int().min(0),
  lastOutcome: z.strictObject({ seq: z.int(), reason: z.string(), code: z.string().nullable() }),
});

const planSchema = z.strictObject({
  kind: z.literal(PLAN_KIND),
  schemaVersion: z.literal(SCHEMA_VERSION),
  madeAt: z.string(),
  actor: z.string().min(1).max(128),
  reason: z.string().min(1).max(1_024),
  filter: z.record(z.string(), z.string().nullable()),
  matched: z.int().min(0),
  leftOut: z.record(z.string(), z.int()),
  ratePerSecond: z.number().positive().max(1_000),
  cap: z.int().min(1).max(MAX_PLANNED),
  stopAtFailureShare: z.number().min(0).max(1),
  isForced: z.boolean(),
  count: z.int().min(0),
  sample: z.array(z.strictObject({ id: z.string(), channel: z.string(), endedAt: z.string().nullable() })),
  notifications: z.array(entrySchema).max(MAX_PLANNED),
  hash: z.string(),
});

export type RedrivePlan = z.infer<typeof planSchema>;
export type PlannedRedrive = RedrivePlan['notifications'][number];

type Wish = Pick<
  RedrivePlan,
  'madeAt' | 'actor' | 'reason' | 'filter' | 'ratePerSecond' | 'cap' | 'stopAtFailureShare' | 'isForced'
>;

/** Why a terminal failure is not put into a plan; null: it can be redriven. */
export function whyNot({ row, hasContent }: FailedRow, isForced: boolean, nowMs: number): string | null {
  if (!hasContent) return 'the content is gone';
  if (row.notAfterMs !== null && row.notAfterMs <= nowMs) return 'its time is over (notAfter)';
  if (newestStanding(row.evidence) !== null) return 'a message of it stands';
  if (row.outcome?.isUncertain === true && !isForced) return 'it may have arrived (--force to send again)';
  return null;
}

/** `limit`: the first so many of those that can be redriven. */
export function makePlan(
  wish: Wish,
  found: { readonly matched: number; readonly rows: readonly FailedRow[] },
  limit: number,
  facts: { readonly nowMs: number; readonly isoTime: (epochMs: number) => string },
): RedrivePlan {
  const leftOut: Record<string, number> = {};
  const redrivable: Notification[] = [];
  for (const one of found.rows) {
    const why = whyNot(one, wish.isForced, facts.nowMs);
    if (why === null) redrivable.push(one.row);
    else leftOut[why] = (leftOut[why] ?? 0) + 1;
  }
  const taken = redrivable.slice(0, limit);
  const plan: Omit<RedrivePlan, 'hash'> = {
    kind: PLAN_KIND,
    schemaVersion: SCHEMA_VERSION,
    ...wish,
    matched: found.matched,
    leftOut,
    count: taken.length,
    sample: taken.slice(0, SAMPLE_SIZE).map(({ id, channel, outcomeAtMs }) => ({
      id,
      channel,
      endedAt: outcomeAtMs === null ? null : facts.isoTime(outcomeAtMs),
    })),
    notifications: taken.map(plannedFor),
  };
  return { ...plan, hash: hashOf(plan) };
}

function plannedFor({ id, cycle, outcome, final, lastError }: Notification): PlannedRedrive {
  const code = outcome?.error?.code ?? lastError?.code ?? null;
  return {
    id,
    expectedCycle: cycle,
    lastOutcome: { seq: outcome?.seq ?? 0, reason: outcome?.reason ?? final ?? '', code },
  };
}

export type PlanAnswer =
  | { readonly kind: 'plan'; readonly plan: RedrivePlan }
  /** It was edited, or is none of ours: a sentence. */
  | { readonly kind: 'refused'; readonly why: string };

/** The plan that `text` is, word for word as it was made. */
export function readPlan(text: string): PlanAnswer {
  const refused = (why: string): PlanAnswer => ({ kind: 'refused', why });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('it is no JSON');
  }
  const answer = planSchema.safeParse(value);
  if (!answer.success) {
    const [issue] = answer.error.issues;
    return refused(
      `it is no redrive plan of version ${SCHEMA_VERSION}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    );
  }
  const { hash: said, ...rest } = value as RedrivePlan;
  if (said !== hashOf(rest)) return refused('it was changed after it was made: make another plan');
  if (answer.data.count !== answer.data.notifications.length || answer.data.count > answer.data.cap)
    return refused('it has more notifications than it says');
  return { kind: 'plan', plan: answer.data };
}

/** Of the values, not of the white space between them. */
function hashOf(plan: Omit<RedrivePlan, 'hash'>): string {
  return `sha256:${hash('sha256', JSON.stringify(plan), 'hex')}`;
}

const COMMANDS = '8f0c5a50-3a4e-5d0e-9b1c-6c1f0d1f6a11';

/** Always the same for the same notification of the same plan. */
export function redriveCommandId(plan: Pick<RedrivePlan, 'hash'>, id: string): string {
  return uuidOfName(COMMANDS, `${plan.hash}/${id}`);
}
