// Many lanes load one key each; this asks for all of them at once. It promises: a load sees everything that was committed before it
// was asked for; a batch starts when another ends, never by a timer. It never caches.
import type { NotificationId } from '../domain/notification-id.ts';
import { type Loaded, MAX_LOAD_KEYS, type Stored } from './store.ts';

/** Queries under way at once. */
const MAX_BATCHES = 2;

interface Call {
  readonly ids: readonly NotificationId[];
  readonly resolve: (loaded: Loaded) => void;
  readonly reject: (error: unknown) => void;
}

export type LoadRows = (ids: readonly NotificationId[]) => Promise<Loaded>;

/** `load` gets ≤ MAX_LOAD_KEYS keys, none twice; each call of the returned function names none twice either, and may ask for as many. */
export function loadBatcher(load: LoadRows): LoadRows {
  let waiting: Call[] = [];
  let batches = 0;
  const run = async () => {
    // What is asked in the same turn belongs to the same batch.
    await Promise.resolve();
    while (waiting.length > 0) {
      const calls = takeCalls(waiting);
      waiting = waiting.slice(calls.length);
      await answer(load, calls);
    }
    batches -= 1;
  };
  return (ids) =>
    new Promise((resolve, reject) => {
      waiting.push({ ids, resolve, reject });
      if (batches >= MAX_BATCHES) return;
      batches += 1;
      void run();
    });
}

function takeCalls(waiting: readonly Call[]): readonly Call[] {
  let keys = 0;
  const end = waiting.findIndex(({ ids }) => {
    keys += ids.length;
    return keys > MAX_LOAD_KEYS;
  });
  return end === -1 ? waiting : waiting.slice(0, Math.max(end, 1));
}

async function answer(load: LoadRows, calls: readonly Call[]): Promise<void> {
  try {
    const [only] = calls;
    if (calls.length === 1 && only !== undefined) return only.resolve(await load(only.ids));
    const { nowMs, found } = await load([...new Set(calls.flatMap(({ ids }) => ids))]);
    for (const { ids, resolve } of calls) resolve({ nowMs, found: pick(found, ids) });
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

function pick(
  found: ReadonlyMap<NotificationId, Stored>,
  ids: readonly NotificationId[],
): ReadonlyMap<NotificationId, Stored> {
  const picked = new Map<NotificationId, Stored>();
  for (const id of ids) {
    const stored = found.get(id);
    if (stored !== undefined) picked.set(id, stored);
  }
  return picked;
}
