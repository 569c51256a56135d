// A fast vendor of the `http` protocol in a process of its own: plain node:http, tiny answers, a ledger in memory. The first call of
// some references fails once, decided by their text alone. It never reads a body: the idempotency key says what it has to know.
import { createServer } from 'node:http';

const KEEP_ALIVE_MS = 30_000;
const FAILURE = answer({ code: 'overloaded', retriable: true });

let settings = { latencyMs: 0, failOnceShare: 0.1 };
let ledger = new Map();
let answeredMs = [];
let messages = 0;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const arrivedMs = performance.now();
  const reference = request.headers['idempotency-key'].slice(0, 36);
  const entry = entryOf(reference);
  entry.calls += 1;
  if (entry.calls === 2) entry.secondArrivedMs = arrivedMs;
  request.resume();
  request.on('end', () => {
    if (settings.latencyMs === 0) return answerCall(response, reference, entry);
    const waitMs = Math.ceil(settings.latencyMs - (performance.now() - arrivedMs));
    setTimeout(() => answerCall(response, reference, entry), waitMs);
  });
});

function entryOf(reference) {
  const known = ledger.get(reference);
  if (known !== undefined) return known;
  const entry = { calls: 0, accepted: 0, failedMs: null, secondArrivedMs: null };
  ledger.set(reference, entry);
  return entry;
}

/** The times are taken before the answer leaves: a second call that seems early by them was early. */
function answerCall(response, reference, entry) {
  const nowMs = performance.now();
  answeredMs.push(nowMs);
  const fails = entry.calls === 1 && shareOf(reference) < settings.failOnceShare;
  if (fails) {
    entry.failedMs = nowMs;
    send(response, 503, FAILURE);
    return;
  }
  entry.accepted += 1;
  messages += 1;
  send(response, 200, answer({ id: `m${messages}` }));
}

function answer(value) {
  return Buffer.from(JSON.stringify(value));
}

function send(response, status, body) {
  response.writeHead(status, ['content-type', 'application/json', 'content-length', String(body.length)]);
  response.end(body);
}

/** FNV-1a as a share of one: the same reference always gets the same answer. */
function shareOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3ce5);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

process.on('message', (message) => {
  if (message.kind === 'begin') {
    settings = message.settings;
    ledger = new Map();
    answeredMs = [];
    process.send({ kind: 'ready' });
  } else {
    process.send({ kind: 'ledger', entries: [...ledger], answeredMs });
  }
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () =>
  process.send({ kind: 'listening', url: `http://127.0.0.1:${server.address().port}/send` }),
);
