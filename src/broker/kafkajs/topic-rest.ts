// Lets topics rest whose records are in no hurry: a fetch names every partition that it asks for, and client and broker pay for each of
// them, empty or not. A topic is awake until every broker has answered a whole fetch that named it without bringing one of its records;
// then it rests until its next look. It promises a look every `lookEveryMs` at the latest, and never withholds what was fetched already.
import type { Cancel, Timers } from '../../runtime/timers.ts';

export interface TopicRest {
  /** Right after an assignment: everything is awake. */
  begin(): void;
  fetchStarted(broker: number): void;
  fetchEnded(broker: number): void;
  /** Records of this topic came. */
  delivered(topic: string): void;
  end(): void;
}

export interface TopicRestParts {
  readonly timers: Timers;
  /** By topic, ms; a topic without an entry never rests. */
  readonly lookEveryMs: ReadonlyMap<string, number>;
  fallAsleep(topic: string): void;
  wakeUp(topic: string): void;
}

interface Watched {
  readonly everyMs: number;
  /** Fetches that started later than this one named the topic. */
  awakeSince: number;
  cancelLook: Cancel | null;
}

export function topicRest({ timers, lookEveryMs, fallAsleep, wakeUp }: TopicRestParts): TopicRest {
  const topics = new Map<string, Watched>();
  for (const [topic, everyMs] of lookEveryMs) topics.set(topic, { everyMs, awakeSince: 0, cancelLook: null });
  /** By broker, the last fetch that began and the last that ended, numbered over all brokers. */
  const brokers = new Map<number, { started: number; answered: number }>();
  let fetches = 0;

  const isAnswered = ({ awakeSince }: Watched) =>
    [...brokers.values()].every(({ answered }) => answered > awakeSince);
  const wake = (topic: string, watched: Watched) => {
    watched.awakeSince = fetches;
    if (watched.cancelLook === null) return;
    watched.cancelLook();
    watched.cancelLook = null;
    wakeUp(topic);
  };
  const forget = () => {
    for (const watched of topics.values()) {
      watched.cancelLook?.();
      watched.cancelLook = null;
      watched.awakeSince = fetches;
    }
    brokers.clear();
  };

  return {
    begin: forget,
    fetchStarted(id) {
      fetches += 1;
      const answered = brokers.get(id)?.answered ?? 0;
      brokers.set(id, { started: fetches, answered });
    },
    fetchEnded(id) {
      const broker = brokers.get(id);
      if (broker === undefined) return;
      broker.answered = broker.started;
      for (const [topic, watched] of topics) {
        if (watched.cancelLook !== null || !isAnswered(watched)) continue;
        watched.cancelLook = timers.after(watched.everyMs, () => wake(topic, watched));
        fallAsleep(topic);
      }
    },
    delivered(topic) {
      const watched = topics.get(topic);
      if (watched !== undefined) wake(topic, watched);
    },
    end: forget,
  };
}
