// Push tokens: one row for each installation of an app that can be reached. Each question is one short statement.
import { epochMs, text } from './cells.ts';
import { epochSql, NOW_SQL } from './change-columns.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { MAX_PUSH_TOKENS, type PushTokens } from './push-tokens.ts';
import type { Statement } from './statement.ts';

export function pushTokenTable(pool: PostgresPool, schema: string): PushTokens {
  const table = `${schema}.push_tokens`;
  const register: Statement = {
    name: 'pin_register_token',
    text: `insert into ${table} (provider, token, tenant_id, user_id) values ($1, $2, $3, $4)
on conflict (provider, token) do update
set tenant_id = excluded.tenant_id, user_id = excluded.user_id, registered_at = ${NOW_SQL}`,
  };
  // `is not distinct from`: the key is the index's, the tenant only has to agree.
  const remove: Statement = {
    name: 'pin_remove_token',
    text: `delete from ${table} where provider = $1 and token = $2 and tenant_id is not distinct from $3
  and registered_at < to_timestamp($4::float8 / 1000)::timestamptz(3) returning 1`,
  };
  const list = (isPlatform: boolean): Statement => ({
    name: isPlatform ? 'pin_tokens_platform' : 'pin_tokens',
    text: `select provider, token, ${epochSql('registered_at')} from ${table}
where user_id = $1 and ${isPlatform ? 'tenant_id is null and $2::text is null' : 'tenant_id = $2'}
order by registered_at desc, token limit ${MAX_PUSH_TOKENS}`,
  });
  return {
    async registerPushToken({ providerKey, token, tenantId, userId }) {
      await pool.ask(register, [providerKey, token, tenantId, userId]);
    },
    async removePushToken({ providerKey, token, tenantId, sinceMs }) {
      return (await pool.ask(remove, [providerKey, token, tenantId, sinceMs])).length > 0;
    },
    async pushTokens({ tenantId, userId }) {
      const rows = await pool.ask(list(tenantId === null), [userId, tenantId]);
      return rows.map(([provider, token, registeredAt]) => ({
        ...{ providerKey: text(provider), token: text(token), tenantId, userId },
        registeredAtMs: epochMs(registeredAt),
      }));
    },
  };
}
