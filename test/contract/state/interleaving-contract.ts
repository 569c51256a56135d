// What every store must do when processes meet on the same rows, the in-memory one included.
import { describe } from 'vitest';
import { claimInterleavings } from './claim-interleavings.ts';
import { flushInterleavings } from './flush-interleavings.ts';
import { insertInterleavings } from './insert-interleavings.ts';
import { type DatabaseUnderTest, interleavingWorld } from './interleaving-world.ts';
import { lostCommitInterleavings } from './lost-commit-interleavings.ts';
import { markInterleavings } from './mark-interleavings.ts';
import { sweepInterleavings } from './sweep-interleavings.ts';

export function interleavingContract(name: string, begin: () => Promise<DatabaseUnderTest>): void {
  describe(name, () => {
    const world = interleavingWorld(begin);
    claimInterleavings(world);
    markInterleavings(world);
    insertInterleavings(world);
    sweepInterleavings(world);
    lostCommitInterleavings(world);
    flushInterleavings(world);
  });
}
