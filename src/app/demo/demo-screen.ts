// The live part of the demo: a table that is drawn over itself on a terminal, one plain line per change elsewhere.
import CliTable from 'cli-table3';
import type { Environment } from '../environment.ts';
import { colorsFor, print } from '../output.ts';
import { DEMO_HEAD, type DemoLine } from './demo-view.ts';

export interface DemoScreen {
  show(lines: readonly DemoLine[]): void;
}

export function demoScreen(environment: Environment, elapsed: () => string): DemoScreen {
  return environment.stdout.isTerminal ? liveTable(environment) : plainLines(environment, elapsed);
}

function liveTable(environment: Environment): DemoScreen {
  const colors = colorsFor(environment, environment.stdout);
  let drawnRows = 0;
  return {
    show(lines) {
      const table = new CliTable({
        head: DEMO_HEAD.map((title) => colors.bold(title)),
        style: { head: [], border: [] },
      });
      table.push(...lines.map((line) => [...line]));
      const text = table.toString();
      // Up over the last drawing, and clear to the end of the screen.
      const back = drawnRows === 0 ? '' : `\u001b[${drawnRows}A\u001b[J`;
      environment.stdout.write(`${back}${text}\n`);
      drawnRows = text.split('\n').length;
    },
  };
}

function plainLines(environment: Environment, elapsed: () => string): DemoScreen {
  const shown = new Map<string, string>();
  return {
    show(lines) {
      for (const [id, channel, what, status, attempts, next] of lines) {
        const state = `${status}/${attempts}/${next.replace(/in \d+\.\d s/, '')}`;
        if (shown.get(id) === state) continue;
        shown.set(id, state);
        print(
          environment,
          `${elapsed().padStart(7)}  ${id}  ${channel.padEnd(8)}  ${what.padEnd(26)}  ${status.padEnd(7)}  attempts ${attempts}  ${next}`,
        );
      }
    },
  };
}
