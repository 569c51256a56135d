// Rolls what goes wrong where. How often something does is the swarm's, and only while a tape is drawn; a given tape is read.
import { DICE, type Die } from './faults.ts';
import type { Reach } from './reach.ts';
import { CALM, type Swarm } from './swarm.ts';
import type { Tape } from './tape.ts';

export interface Dice {
  /** 0: nothing happens; n: the n-th fault of the die. `at` says where, for the count of what was reached. */
  roll(die: Die, at: string, isDense?: boolean): number;
  /** From here on nothing happens any more, and the tape is not read. */
  rest(): void;
}

/** `swarm` null: the tape is given and needs none. */
export function diceOf(tape: Tape, swarm: Swarm | null, reach: Reach): Dice {
  const { rates, hunt } = swarm ?? CALM;
  let isResting = false;
  return {
    roll(die, at, isDense = false) {
      if (isResting) return 0;
      const isHunted = hunt !== null && die === 'process' && at === hunt.at;
      const usual = isDense ? rates[die].dense : rates[die].plain;
      const choice = tape.roll(isHunted ? hunt.chances : usual);
      if (choice > 0) reach.count(`${die} ${DICE[die][choice - 1] ?? choice} @ ${at}`);
      return choice;
    },
    rest() {
      isResting = true;
    },
  };
}
