// S19: the dead letter topic is for requests that broke their contract. A request whose row has made attempts broke nothing: its end,
// exhaustion included, is an outcome.
import { type Remark, type Subject, violationOf } from './audit-facts.ts';

export function auditDeadLetters(id: string, { stored, deadLetters }: Subject): readonly Remark[] {
  if (stored === null || stored.row.attempts === 0) return [];
  return deadLetters
    .filter(({ payloadHash }) => payloadHash === stored.payloadHash)
    .map(({ place }) =>
      violationOf(
        'S19',
        id,
        'no dead letter of a request that was worked on',
        `dead letter ${place}, and a row with ${stored.row.attempts} attempts`,
      ),
    );
}
