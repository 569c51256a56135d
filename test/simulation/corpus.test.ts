// The bugs that the simulator found stay found.
import { expect, test } from 'vitest';
import { openProtocol } from '../../src/simulation/protocol.ts';
import { reachCounter } from '../../src/simulation/reach.ts';
import { runTape } from '../../src/simulation/simulate.ts';
import { readCorpus } from './corpus.ts';

const protocol = openProtocol();

test.each(readCorpus())('$name does not come back', async ({ tape }) => {
  const verdict = await runTape(await protocol, tape, reachCounter());
  expect(verdict.violation).toBeNull();
});
