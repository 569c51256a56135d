// Every choice of a schedule comes from one tape of small integers; 0 is always "nothing happens". A tape is drawn from a seed while the
// schedule runs, or given: then the same numbers are read back, and nothing happens after its end. Replay and shrinking need the tape only.
import type { Random } from './random.ts';

export interface Tape {
  /** 0 (nothing), or n when the n-th of `chances` comes up; their sum is at most 1. */
  roll(chances: readonly number[]): number;
  /** One of 0…`options` − 1, each as probable as the others when the tape is drawn. */
  pick(options: number): number;
  /** What was chosen so far, without the zeros at the end. */
  choices(): Choices;
}

export type Choices = readonly number[];

export function drawnTape(random: Random): Tape {
  const chosen: number[] = [];
  return {
    roll(chances) {
      let left = random.fraction();
      let choice = 0;
      for (let option = 0; option < chances.length; option += 1) {
        left -= chances[option] ?? 0;
        if (left >= 0) continue;
        choice = option + 1;
        break;
      }
      chosen.push(choice);
      return choice;
    },
    pick(options) {
      const choice = random.below(options);
      chosen.push(choice);
      return choice;
    },
    choices: () => trimmed(chosen),
  };
}

/** Reads `choices` back; a number that is no option where it is read counts as 0. */
export function givenTape(choices: Choices): Tape {
  const read: number[] = [];
  const next = (limit: number): number => {
    const choice = choices[read.length] ?? 0;
    const fitting = choice <= limit ? choice : 0;
    read.push(fitting);
    return fitting;
  };
  return {
    roll: (chances) => next(chances.length),
    pick: (options) => next(options - 1),
    choices: () => trimmed(read),
  };
}

function trimmed(choices: Choices): Choices {
  return choices.slice(0, choices.findLastIndex((choice) => choice !== 0) + 1);
}
