// What operators stop for a while: all notifications of a channel, a tenant or a template. A pause is named by its key, and the row that it
// holds remembers the key: so the rows of a pause that ended are found without looking at those of the others.
import { type Channel, isChannel } from './channel.ts';

export type PauseScope =
  | { readonly kind: 'channel'; readonly channel: Channel }
  /** null: the platform's own notifications, and nobody else's. */
  | { readonly kind: 'tenant'; readonly tenantId: string | null }
  | { readonly kind: 'template'; readonly templateKey: string };

export type PauseKey = `channel:${string}` | `tenant:${string}` | `template:${string}` | 'tenant-none';

export interface Pause {
  readonly key: PauseKey;
  readonly reason: string;
  /** Who asked for it. */
  readonly by: string;
  readonly sinceMs: number;
}

/** What of a notification a pause can be about; it never changes. */
export interface Pausable {
  readonly channel: Channel;
  readonly tenantId: string | null;
  /** null: the request carries its own body. */
  readonly templateKey: string | null;
}

export function pauseKey(scope: PauseScope): PauseKey {
  switch (scope.kind) {
    case 'channel':
      return `channel:${scope.channel}`;
    case 'tenant':
      return scope.tenantId === null ? 'tenant-none' : `tenant:${scope.tenantId}`;
    case 'template':
      return `template:${scope.templateKey}`;
  }
}

/** null: it is no key of a pause. */
export function pauseScope(key: string): PauseScope | null {
  if (key === 'tenant-none') return { kind: 'tenant', tenantId: null };
  const colon = key.indexOf(':');
  const name = key.slice(colon + 1);
  if (colon < 1 || name === '') return null;
  switch (key.slice(0, colon)) {
    case 'channel':
      return isChannel(name) ? { kind: 'channel', channel: name } : null;
    case 'tenant':
      return { kind: 'tenant', tenantId: name };
    case 'template':
      return { kind: 'template', templateKey: name };
    default:
      return null;
  }
}

/** The pause that holds `about`; the widest first, so that one row is held by the same pause in every process. null: none does. */
export function coveringPause(
  { channel, tenantId, templateKey }: Pausable,
  pauses: ReadonlyMap<PauseKey, Pause>,
): PauseKey | null {
  if (pauses.size === 0) return null;
  const scopes: readonly PauseScope[] = [
    { kind: 'channel', channel },
    { kind: 'tenant', tenantId },
    ...(templateKey === null ? [] : [{ kind: 'template', templateKey } as const]),
  ];
  return scopes.map(pauseKey).find((key) => pauses.has(key)) ?? null;
}
