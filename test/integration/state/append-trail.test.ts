// The SQL function and the domain's function are one rule, told twice.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendTrail, MAX_TRAIL_CODE_CHARS } from '../../../src/domain/trail.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

const code = fc.string({ unit: fc.constantFrom(...'abc =_-09'), maxLength: MAX_TRAIL_CODE_CHARS });
const atMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
const entries = fc.array(fc.record({ code, atMs }), { minLength: 1, maxLength: 60 });

test('append_trail of Postgres gives what appendTrail gives, line after line', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (lines) => {
      const expected: string[] = [];
      for (const line of lines) expected.push(appendTrail(expected.at(-1) ?? '', line.code, line.atMs));
      const [answer] = await database.query<{ trails: string[] }>(
        `with recursive lines as (
           select * from unnest($1::text[], $2::bigint[]) with ordinality as l (code, at_ms, number)
         ), trails as (
           select 0::bigint as number, ''::text as trail
           union all
           select l.number, pin.append_trail(t.trail, l.code, l.at_ms)
           from trails t join lines l on l.number = t.number + 1
         )
         select array_agg(trail order by number) as trails from trails where number > 0`,
        [lines.map((line) => line.code), lines.map((line) => line.atMs)],
      );
      expect(answer?.trails).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
