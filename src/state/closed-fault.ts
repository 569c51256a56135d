// What a closed store answers to everything.
import { Fault } from '../runtime/fault.ts';

export function closedFault(message = 'the store is closed'): Fault {
  return new Fault('STATE_CLOSED', message, { retriable: false });
}
