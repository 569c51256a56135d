// What the parts of a simulated vendor are handed.
import type { Ledger, LedgerCall, LedgerMessage } from './ledger.ts';
import type { World } from './world.ts';

export interface VendorParts {
  readonly world: World;
  readonly ledger: Ledger;
  /** A call reached the vendor. */
  readonly onCall: (call: LedgerCall) => void;
  /** A message is out. */
  readonly onMessage: (message: LedgerMessage) => void;
}
