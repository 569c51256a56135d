// The floor: what the same work costs without a queue. A process of its own admits, calls, settles, and keeps retries in timers: no
// Kafka, no claim before a call, nothing that survives its own death. Started by floor.mjs.
import { openProvider } from './floor-provider.mjs';
import { openFloorStore } from './floor-store.mjs';
import { paced } from './pace.mjs';
import { newRequests } from './requests.mjs';

const MAX_ATTEMPTS = 5;

async function runFloor({ databaseUrl, vendorUrl, calls, count, warmUp, perSecond, backoffMs }) {
  const store = await openFloorStore(databaseUrl);
  const provider = openProvider(vendorUrl, calls);
  const total = warmUp + count;
  const requests = newRequests(total);
  const outcomes = [];
  const wait = () => new Promise((resolve) => setTimeout(resolve, backoffMs));

  async function deliver(index) {
    const request = requests[index];
    const startedMs = performance.now();
    const id = request.notificationId;
    if (!(await store.admit(id, JSON.stringify(request)))) return;
    await attempt(1, { index, request, startedMs });
  }

  /** A failure waits beside the work: it takes no place in the window. */
  async function attempt(attempts, life) {
    const { index, request, startedMs } = life;
    const messageId = await provider.send(request, attempts);
    const status = messageId === null ? 'Failed' : 'Sent';
    const id = request.notificationId;
    if (!(await store.settle({ id, version: attempts, status, attempts, messageId })))
      throw new RangeError(`${id} was settled by somebody else`);
    if (messageId !== null || attempts === MAX_ATTEMPTS) {
      outcomes.push({ index, id, status, startedMs, atMs: performance.now() });
      noteOutcomes(outcomes.length);
    } else void wait().then(() => attempt(attempts + 1, life));
  }

  function noteOutcomes(reached) {
    if (reached === warmUp) process.send({ kind: 'warm' });
    if (reached === total) finished();
  }

  let finished;
  const all = new Promise((resolve) => {
    finished = resolve;
  });
  await said('ready', 'go');
  const startedMs = performance.now();
  if (perSecond === null) await window(total, 2 * calls, deliver);
  else await paced(total, perSecond, (index) => void deliver(index));
  await all;
  await said('done', 'tell');
  await said('outcomes', 'end', { startedMs, outcomes });
  await Promise.all([store.close(), provider.close()]);
}

/** `size` at a time. Resolves when the first attempt of each is over. */
async function window(count, size, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: size }, lane));
}

/** Says where it is, and waits for the parent's word. */
function said(state, word, facts = {}) {
  const heard = new Promise((resolve) => {
    process.on('message', (message) => message.kind === word && resolve(message));
  });
  process.send({ kind: state, ...facts });
  return heard;
}

process.on('disconnect', () => process.exit());
const { order } = await said('started', 'order');
await runFloor(order);
process.disconnect();
