// Who may ask for notifications: bearer tokens, each bound to one tenant (null: the platform itself, a tenant like the others). Only
// hashes are kept; a token is long and random, so one round of SHA-256 is enough, and every comparison takes the same time.
import { hash, timingSafeEqual } from 'node:crypto';

export const TOKEN_ROLES = ['producer', 'reader'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

export interface Caller {
  /** For logs: which service it is. */
  readonly name: string;
  readonly tenantId: string | null;
  readonly roles: readonly TokenRole[];
}

export interface ProducerToken extends Caller {
  /** SHA-256 of the token, lower-case hex. */
  readonly sha256: string;
}

/** Who holds the token of an `Authorization` header; null: nobody. */
export type Authenticate = (authorization: string | undefined) => Caller | null;

const BEARER = /^Bearer +([^\s]{16,512})$/i;

export function bearerCallers(tokens: readonly ProducerToken[]): Authenticate {
  const known = tokens.map(({ sha256, ...caller }) => ({ caller, digest: Buffer.from(sha256, 'hex') }));
  return (authorization) => {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) return null;
    const digest = hash('sha256', token, 'buffer');
    let found: Caller | null = null;
    // All of them, whoever it is: how long it takes says nothing.
    for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one.caller;
    return found;
  };
}

/** Without any token: on a developer's own machine, everybody is the platform. */
export const anybodyIsThePlatform: Authenticate = () => ({
  name: 'anybody',
  tenantId: null,
  roles: TOKEN_ROLES,
});

export const nobody: Authenticate = () => null;

const TOKEN_PREFIX = 'pin_';

export interface NewToken {
  /** To be handed to the producer and kept nowhere else. */
  readonly token: string;
  readonly entry: { readonly name: string; readonly tenant: string | null; readonly sha256: string };
}

/** `random`: at least 32 bytes. */
export function newToken(name: string, tenant: string | null, random: Uint8Array): NewToken {
  const token = TOKEN_PREFIX + Buffer.from(random).toString('base64url');
  return { token, entry: { name, tenant, sha256: hash('sha256', token, 'hex') } };
}
