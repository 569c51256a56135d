// What a run of the bench says, as one table in Markdown: goals as met or not met.
import { figuresOf } from './figures.mjs';

const GOAL_OF_FLOOR = 0.35;
const GOAL_OF_ECHO = 10;
const GOAL_OF_SLOW = 0.8;
const COLUMNS = ['what', 'ours', 'floor', 'echo', 'ratio', 'goal'];

export function tableOf(results, options) {
  const figures = figuresOf(results);
  const rows = [
    ...backlogRows(figures, options),
    ...pacedRows(figures, options),
    ...options.slow.flatMap((work) => slowRows(figures, work)),
  ];
  const filled = rows.filter(({ ours, floor, echo }) => [ours, floor, echo].some(isKnown));
  const lines = filled.map((row) => COLUMNS.map((column) => cell(row[column])));
  return [COLUMNS, COLUMNS.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function backlogRows({ of, ratio, sum }, { calls }) {
  const row = (what, read) => ({
    what,
    ours: of('ours/backlog', read),
    floor: of('floor/backlog', read),
    ratio: ratio('ours/backlog', 'floor/backlog', read),
  });
  const speed = row(`notifications/s, provider at once, ${calls} calls at once`, (run) => run.perSecond);
  return [
    { ...speed, goal: goal(`≥ ${GOAL_OF_FLOOR} × floor`, speed.ratio, (share) => share >= GOAL_OF_FLOOR) },
    row('… to the very last outcome', (run) => run.perSecondToTheLast),
    row('CPU s per 1,000: process', (run) => run.cpu.process),
    row('CPU s per 1,000: broker', (run) => run.cpu.broker),
    row('CPU s per 1,000: Postgres', (run) => run.cpu.postgres),
    row('peak RSS, MiB', (run) => run.memoryMib),
    {
      what: 'cold start: process to first outcome, s',
      ours: of('ours/backlog', (run) => run.coldStartMs / 1_000),
    },
    retriesTooEarly('ours/backlog', 'floor/backlog', 'from the backlog', sum),
  ];
}

function pacedRows({ of, ratio, sum }, { perSecond }) {
  const row = (what, read) => ({ what, ours: of('ours/paced', read), floor: of('floor/paced', read) });
  const delay = (what, read) => ({
    ...row(`${what} ms from request to outcome at ${perSecond}/s`, read),
    echo: of('echo/paced', read),
    ratio: ratio('ours/paced', 'echo/paced', read),
  });
  const half = delay('p50', (run) => run.p50Ms);
  return [
    { ...half, goal: goal(`≤ ${GOAL_OF_ECHO} × echo`, half.ratio, (times) => times <= GOAL_OF_ECHO) },
    delay('p99', (run) => run.p99Ms),
    row(`CPU s per 1,000 at ${perSecond}/s: process`, (run) => run.cpu.process),
    row(`CPU s per 1,000 at ${perSecond}/s: Postgres`, (run) => run.cpu.postgres),
    row(`retry late by p50 ms at ${perSecond}/s`, (run) => run.lateP50Ms),
    row(`retry late by p99 ms at ${perSecond}/s`, (run) => run.lateP99Ms),
    retriesTooEarly('ours/paced', 'floor/paced', `at ${perSecond}/s`, sum),
  ];
}

/** Calls, not outcomes: a failed call takes the provider as long. */
function slowRows({ of, sum }, { calls, latencyMs }) {
  const [ours, floor] = [`ours/slow-${calls}`, `floor/slow-${calls}`];
  const ideal = (calls / latencyMs) * 1_000;
  const perSecond = (run) => run.callsPerSecond;
  const share = (step, most) => {
    const reached = of(step, perSecond);
    return reached === null ? null : reached / most;
  };
  const ownLimit = (step) => Math.min(ideal, of(step, callsAtOnce) ?? Number.POSITIVE_INFINITY);
  const shares = { ours: share(ours, ideal), floor: share(floor, ideal) };
  return [
    {
      what: `calls/s, provider takes ${latencyMs} ms, ${calls} calls at once`,
      ours: of(ours, perSecond),
      floor: of(floor, perSecond),
    },
    {
      what: `… as a share of ${calls} ÷ ${latencyMs} ms = ${ideal}/s`,
      ...shares,
      goal: goal(`≥ ${GOAL_OF_SLOW}`, shares.ours, (part) => part >= GOAL_OF_SLOW),
    },
    {
      what: '… as a share of that or of the own speed with a provider at once, the lower',
      ours: share(ours, ownLimit('ours/backlog')),
      floor: share(floor, ownLimit('floor/backlog')),
    },
    retriesTooEarly(ours, floor, `at ${latencyMs} ms, ${calls} at once`, sum),
  ];
}

function callsAtOnce(run) {
  return run.callsPerSecond;
}

function retriesTooEarly(ours, floor, where, sum) {
  const retried = (run) => run.retried;
  const early = sum(ours, (run) => run.early);
  return {
    what: `retries too early ${where}, of ${sum(ours, retried) ?? sum(floor, retried) ?? 0}`,
    ours: early,
    floor: sum(floor, (run) => run.early),
    goal: goal('0', early, (count) => count === 0),
  };
}

function goal(words, figure, isMet) {
  return isKnown(figure) ? `${words}: ${isMet(figure) ? 'met' : 'not met'}` : undefined;
}

function isKnown(figure) {
  return figure !== null && figure !== undefined;
}

function cell(value) {
  if (!isKnown(value)) return '';
  return typeof value === 'number' ? rounded(value) : value;
}

function rounded(number) {
  if (number === 0 || Math.abs(number) >= 100) return Math.round(number).toLocaleString('en');
  return number.toPrecision(Math.abs(number) >= 1 ? 3 : 2);
}
