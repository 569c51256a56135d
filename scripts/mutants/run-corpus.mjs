// The tapes of the corpus against one build of the product: `node run-corpus.mjs <folder with dist> <folder of tapes>`. Prints the name of
// the first tape that breaks something and what, as JSON; nothing when none does.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [home, tapes] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(home, 'dist/simulation', file)).href);
const [{ openProtocol }, { reachCounter }, { runTape }] = await Promise.all(
  ['protocol.js', 'reach.js', 'simulate.js'].map(load),
);
const protocol = await openProtocol();
for (const file of readdirSync(tapes).sort()) {
  const { tape } = JSON.parse(readFileSync(join(tapes, file), 'utf8'));
  const { violation } = await runTape(protocol, tape, reachCounter());
  if (violation === null) continue;
  console.log(JSON.stringify({ tape: file.replace('.json', ''), violation }));
  break;
}
