// How long things are kept: one setting for each, and how often what is old is looked for. What each of them means: docs/retention.md.
import { type Setting, setting } from './setting.ts';
import { duration } from './value-schemas.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const MAX_KEPT_MS = 3_650 * DAY_MS;

function kept(name: string, what: string, fallback: string): Setting<number> {
  return setting(
    `PIN_RETENTION_${name}`,
    `How long it is kept: ${what}`,
    duration(SECOND_MS, MAX_KEPT_MS),
    fallback,
  );
}

export const RETENTION_SETTINGS = {
  finalMs: kept('FINAL', 'A final notification, whole, since the last thing happened to it.', '30d'),
  unreadMs: kept(
    'UNREAD',
    'A final notification whose copy in an inbox nobody read, since it arrived.',
    '90d',
  ),
  tombstonesMs: kept(
    'TOMBSTONES',
    'What stays of it then (id and hash): at least as long as any topic keeps its records.',
    '90d',
  ),
  messageRefsMs: kept('MESSAGE_REFS', "Which notification a provider's message belongs to.", '90d'),
  refusedCommandsMs: kept('REFUSED_COMMANDS', 'Ids of commands that met no notification.', '90d'),
  quarantineMs: kept('QUARANTINE', 'Inputs that could not be applied.', '90d'),
  parkedMs: kept('PARKED', 'Webhooks that name nothing known; then they are quarantined.', '7d'),
  periodMs: setting(
    'PIN_RETENTION_PERIOD',
    'How often what is old is looked for.',
    duration(SECOND_MS, DAY_MS),
    '1h',
  ),
} as const;
