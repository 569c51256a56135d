// Cells of an answer as Postgres wrote them: text or null. Each reader says what it expects; a null where none may be is a bug.
import type { CustomTypesConfig } from 'pg';
import { invariant } from '../runtime/fault.ts';

export type TextCell = string | null | undefined;

/** Leaves every cell as text: the readers below know the types better than their oids do. */
export const TEXT_CELLS: CustomTypesConfig = { getTypeParser: () => (text: unknown) => text };

export function text(cell: TextCell): string {
  invariant(cell !== null && cell !== undefined, 'a column that is never null was null');
  return cell;
}

export function textOrNull(cell: TextCell): string | null {
  return cell ?? null;
}

export function integer(cell: TextCell): number {
  return Number(text(cell));
}

export function integerOrNull(cell: TextCell): number | null {
  return cell === null || cell === undefined ? null : Number(cell);
}

export function flag(cell: TextCell): boolean {
  return cell === 't';
}

/** Seconds since 1970 (`date_part('epoch', …)`) as epoch milliseconds. */
export function epochMs(cell: TextCell): number {
  return Math.round(Number(text(cell)) * 1_000);
}

export function epochMsOrNull(cell: TextCell): number | null {
  return cell === null || cell === undefined ? null : epochMs(cell);
}
