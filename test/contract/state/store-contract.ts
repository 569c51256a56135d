// What every store must do, the in-memory one included. Real Postgres has more to prove: test/integration/state.
import { describe } from 'vitest';
import { controlContract } from './control-contract.ts';
import { inboxContract } from './inbox-contract.ts';
import { insertContract } from './insert-contract.ts';
import { livesContract } from './lives-contract.ts';
import { markContract } from './mark-contract.ts';
import { parkingContract } from './parking-contract.ts';
import { pushTokenContract } from './push-token-contract.ts';
import { readingContract } from './reading-contract.ts';
import { refusalContract } from './refusal-contract.ts';
import { retentionContract } from './retention-contract.ts';
import { type StoreUnderTest, storeWorld } from './store-world.ts';
import { wakeContract } from './wake-contract.ts';
import { writeContract } from './write-contract.ts';

export function storeContract(name: string, begin: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    const world = storeWorld(begin);
    insertContract(world);
    writeContract(world);
    wakeContract(world);
    markContract(world);
    refusalContract(world);
    readingContract(world);
    parkingContract(world);
    controlContract(world);
    inboxContract(world);
    pushTokenContract(world);
    livesContract(world);
    retentionContract(world);
  });
}
