// A part of the notifications: `2/8` is the second of eight. Which part an id belongs to depends on the id alone, so the topics, the table
// and the ledger agree, and together the parts are everything.

export interface AuditPart {
  /** 1 … of. */
  readonly number: number;
  readonly of: number;
}

export const WHOLE: AuditPart = { number: 1, of: 1 };
const MAX_PARTS = 1_000;

/** null: not a part. */
export function parsePart(text: string): AuditPart | null {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(text);
  const [number, of] = [Number(match?.[1]), Number(match?.[2])];
  return number >= 1 && of <= MAX_PARTS && number <= of ? { number, of } : null;
}

/** By the last digits: those of time-ordered uuids are random too. What is no uuid is in the first part. */
export function isInPart(id: string, { number, of }: AuditPart): boolean {
  const tail = Number.parseInt(id.slice(-8), 16);
  return (Number.isNaN(tail) ? 0 : tail % of) === number - 1;
}
