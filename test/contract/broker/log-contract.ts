// What every log must do, run on the in-memory log and on a real broker.
import { afterAll, beforeAll, describe } from 'vitest';
import { adminContract } from './admin-contract.ts';
import { type Bench, benchOn, type LogWorld } from './bench.ts';
import { groupContract } from './group-contract.ts';
import { producerContract } from './producer-contract.ts';
import { readingContract } from './reading-contract.ts';

export function logContract(name: string, open: () => Promise<LogWorld>): void {
  describe(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await benchOn(await open());
    });
    afterAll(async () => {
      await bench.producer.close();
      await bench.admin.close();
      await bench.world.close();
    });
    producerContract(() => bench);
    readingContract(() => bench);
    groupContract(() => bench);
    adminContract(() => bench);
  });
}
