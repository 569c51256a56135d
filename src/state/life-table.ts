// The lives of tasks, one row for each: read when a task changes hands, written under its version.
import type { TaskLife } from '../domain/deaths.ts';
import { epochMs, flag, integer, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql } from './change-columns.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

export function lifeTable(
  pool: PostgresPool,
  schema: string,
): Pick<NotificationStore, 'lifeOf' | 'saveLife'> {
  const statements = lifeStatements(schema);
  return {
    async lifeOf(partition) {
      const [row] = await pool.ask(statements.read, [partition]);
      return row === undefined ? null : lifeIn(row);
    },
    async saveLife(partition, next) {
      const { version, life, processId, beganAtMs, isLiving, deaths, alone } = next;
      const [mourned, inFlight, suspects, deadly] = [
        next.mourned === null ? null : JSON.stringify(next.mourned),
        ...[next.inFlight, next.suspects, next.deadly].map((lanes) => JSON.stringify(lanes)),
      ];
      const rows = await pool.ask(version === 1 ? statements.insert : statements.update, [
        ...[partition, version, life, processId, beganAtMs, isLiving, deaths],
        ...[mourned ?? null, inFlight ?? '[]', suspects ?? '[]', alone, deadly ?? '[]'],
      ]);
      return rows.length > 0;
    },
  };
}

function lifeStatements(schema: string) {
  const named = (name: string, sql: string): Statement => ({ name: `pin_life_${name}`, text: sql });
  const values = `$1::int4, $2::int4, $3::uuid, $4, to_timestamp($5::float8 / 1000), $6::bool, $7::int4,
  $8::json, $9::json, $10::json, $11, $12::json`;
  const columns = `version, life, process_id, began_at, is_living, deaths, mourned, in_flight, suspects, alone, deadly`;
  return {
    read: named(
      'read',
      `select version, life, process_id, ${epochSql('began_at')}, is_living, deaths, mourned, in_flight, suspects, alone, deadly
from ${schema}.task_lives where partition = $1::int4`,
    ),
    insert: named(
      'insert',
      `insert into ${schema}.task_lives (partition, ${columns}) values (${values})
on conflict (partition) do nothing returning 1`,
    ),
    // Whoever else wrote meanwhile has raised the version.
    update: named(
      'update',
      `update ${schema}.task_lives set (partition, ${columns}) = row (${values})
where partition = $1::int4 and version = $2::int4 - 1 returning 1`,
    ),
  };
}

function lifeIn(cells: readonly TextCell[]): TaskLife {
  const [version, life, processId, began, isLiving, deaths, mourned, inFlight, suspects, alone, deadly] =
    cells;
  const lanesIn = (cell: TextCell) => JSON.parse(text(cell)) as readonly string[];
  return {
    version: integer(version),
    life: text(life),
    processId: text(processId),
    beganAtMs: epochMs(began),
    isLiving: flag(isLiving),
    deaths: integer(deaths),
    mourned: mourned == null ? null : (JSON.parse(mourned) as TaskLife['mourned']),
    inFlight: lanesIn(inFlight),
    suspects: lanesIn(suspects),
    alone: textOrNull(alone),
    deadly: lanesIn(deadly),
  };
}
