// What must never happen, whatever the speed: a notification lost, sent twice, ended wrongly, or tried again too early.
const SENTENCES = {
  lost: 'have no outcome',
  wrong: 'ended otherwise than the vendor answered',
  conflicts: 'had a second outcome that differs from the first',
  unsent: 'never reached the vendor',
  double: 'were accepted by the vendor more than once',
  early: 'were tried again before their backoff was over',
};

/** Sentences; empty when all is well. `results`: the runs by step. */
export function violationsOf(results) {
  return Object.entries(results).flatMap(([step, runs]) =>
    runs.flatMap((result, index) =>
      Object.entries(SENTENCES)
        .filter(([fact]) => result[fact] > 0)
        .map(([fact, sentence]) => `${step}, run ${index + 1}: ${result[fact]} ${sentence}`),
    ),
  );
}
