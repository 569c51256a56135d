// One step after another. The first leaves at once, in this very turn; each further one when the one before it has ended, however it ended.

/** Runs `step` in its turn and ends as it ends. Whoever calls bounds how many wait. */
export type InTurn = (step: () => Promise<void>) => Promise<void>;

export function inTurn(): InTurn {
  let last: Promise<unknown> | null = null;
  return (step) => {
    const done = last === null ? step() : last.then(step);
    const ended: Promise<unknown> = done
      .catch(() => undefined)
      .then(() => {
        if (last === ended) last = null;
      });
    last = ended;
    return done;
  };
}
