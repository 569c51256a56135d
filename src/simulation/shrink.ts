// Makes a failing tape shorter and calmer while the same invariant still breaks: whole stretches become "nothing", then single choices,
// then numbers get smaller. Every try is a whole schedule; their number is limited.
import type { Protocol } from './protocol.ts';
import { reachCounter } from './reach.ts';
import { runTape } from './simulate.ts';
import type { Choices } from './tape.ts';

const MAX_TRIES = 2_000;

/** The shortest tape found that breaks `invariant`. */
export async function shrink(protocol: Protocol, start: Choices, invariant: string): Promise<Choices> {
  let best = start;
  let tries = 0;
  const isWorthIt = async (candidate: Choices): Promise<boolean> => {
    if (tries >= MAX_TRIES || !isSmaller(candidate, best)) return false;
    tries += 1;
    const verdict = await runTape(protocol, candidate, reachCounter());
    if (verdict.violation?.invariant !== invariant) return false;
    // What the schedule read of the tape may be less than what it was given.
    best = isSmaller(verdict.choices, candidate) ? verdict.choices : candidate;
    return true;
  };
  let before: Choices;
  do {
    before = best;
    for (let length = best.length; length >= 1; length = Math.floor(length / 2)) {
      await overStretches(
        () => best,
        length,
        (at) => isWorthIt(silenced(best, at, length)),
      );
      await overStretches(
        () => best,
        length,
        (at) => isWorthIt(best.toSpliced(at, length)),
      );
    }
    await overStretches(
      () => best,
      1,
      async (at) => {
        const choice = best[at] ?? 0;
        return choice > 1 && ((await isWorthIt(best.with(at, 1))) || isWorthIt(best.with(at, choice - 1)));
      },
    );
  } while (isSmaller(best, before) && tries < MAX_TRIES);
  return best;
}

/** From the end: what comes late depends on what came early. */
async function overStretches(
  current: () => Choices,
  length: number,
  attempt: (at: number) => Promise<boolean>,
): Promise<void> {
  for (let at = current().length - length; at > -length; at -= length) {
    const from = Math.max(0, at);
    if (
      current()
        .slice(from, from + length)
        .some((choice) => choice !== 0)
    )
      await attempt(from);
  }
}

function silenced(choices: Choices, at: number, length: number): Choices {
  return choices.map((choice, index) => (index >= at && index < at + length ? 0 : choice));
}

/** Fewer things that happen, else a shorter tape, else smaller numbers. */
function isSmaller(a: Choices, b: Choices): boolean {
  const [happeningsA, happeningsB] = [happenings(a), happenings(b)];
  if (happeningsA !== happeningsB) return happeningsA < happeningsB;
  if (a.length !== b.length) return a.length < b.length;
  return sum(a) < sum(b);
}

const happenings = (choices: Choices) => choices.filter((choice) => choice !== 0).length;
const sum = (choices: Choices) => choices.reduce((total, choice) => total + choice, 0);
