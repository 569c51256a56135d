// Commands that met no row have no row to be answered in: their ids are kept here.
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

export function refusedCommands(
  pool: PostgresPool,
  schema: string,
): Pick<NotificationStore, 'refuseCommand' | 'wasRefused'> {
  const refuse: Statement = {
    name: 'pin_refuse_command',
    text: `insert into ${schema}.refused_commands (command_id, notification_id) values ($1::uuid, $2::uuid)
on conflict (command_id) do nothing`,
  };
  const refused: Statement = {
    name: 'pin_refused_command',
    text: `select 1 from ${schema}.refused_commands where command_id = $1::uuid`,
  };
  return {
    async refuseCommand(commandId, notificationId) {
      await pool.ask(refuse, [commandId, notificationId]);
    },
    wasRefused: async (commandId) => (await pool.ask(refused, [commandId])).length > 0,
  };
}
