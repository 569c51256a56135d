import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endLeftovers } from '../../../src/app/stack/leftovers.ts';
import { isAlive } from '../../../src/app/stack/process-identity.ts';
import type { RunRecord } from '../../../src/app/stack/run-record.ts';
import { startPostgresOnly } from '../../../src/app/stack/stack.ts';

// A parent of its own, so that it can be ended in every way: the built entry with a cache folder that no other run uses.
const ENTRY = new URL('../../../dist/app/stack/stack.js', import.meta.url).href;
const folders: string[] = [];

describe('what a run leaves behind', { timeout: 90_000 }, () => {
  afterAll(() => {
    for (const folder of folders) {
      endLeftovers(folder); // nothing, unless a test above failed
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('after a kill −9 of the parent the next start ends its servers and removes their data', async () => {
    const { parent, cacheFolder } = await startParent();
    const left = onlyRecord(cacheFolder);
    await end(parent, 'SIGKILL');
    expect(left.children.every(isAlive)).toBe(true);

    const next = await startPostgresOnly({ say: () => {}, environment: process.env, cacheFolder });
    expect(left.children.some(isAlive)).toBe(false);
    expect(existsSync(left.dataFolder)).toBe(false);
    await next.stop();
    expect(readdirSync(join(cacheFolder, 'runs'))).toEqual([]);
  });

  it('a start never touches the servers of a parent that still runs', async () => {
    const { parent, cacheFolder } = await startParent();
    const record = onlyRecord(cacheFolder);
    expect(endLeftovers(cacheFolder)).toBe(0);
    expect(record.children.every(isAlive)).toBe(true);
    await end(parent, 'SIGTERM');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s to the parent ends its servers with it', async (signal) => {
    await expectNothingLeft((parent) => end(parent, signal));
  });

  it('an uncaught error ends the servers with the parent', async () => {
    await expectNothingLeft((parent) => tell(parent, 'crash'));
  });

  it('a parent that simply comes to its end takes its servers along', async () => {
    await expectNothingLeft((parent) => tell(parent, 'finish'));
  });
});

async function expectNothingLeft(endParent: (parent: ChildProcess) => Promise<void>): Promise<void> {
  const { parent, cacheFolder } = await startParent();
  const record = onlyRecord(cacheFolder);
  expect(record.children.every(isAlive)).toBe(true);
  await endParent(parent);
  expect(record.children.some(isAlive)).toBe(false);
  expect(existsSync(record.dataFolder)).toBe(false);
  expect(readdirSync(join(cacheFolder, 'runs'))).toEqual([]);
}

async function startParent(): Promise<{ parent: ChildProcess; cacheFolder: string }> {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'pin-test-cache-'));
  folders.push(cacheFolder);
  const program = `
    import { startPostgresOnly } from ${JSON.stringify(ENTRY)};
    await startPostgresOnly({ say() {}, environment: process.env, cacheFolder: ${JSON.stringify(cacheFolder)} });
    process.stdin.on('data', (word) => {
      if (String(word) === 'crash') throw new Error('a crash on purpose');
      process.stdin.destroy();
    });
    console.log('ready');`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await new Promise<void>((resolve, reject) => {
    parent.stdout.once('data', () => resolve());
    parent.once('exit', () => reject(new Error('the parent ended before its server was ready')));
  });
  return { parent, cacheFolder };
}

function onlyRecord(cacheFolder: string): RunRecord {
  const [name = ''] = readdirSync(join(cacheFolder, 'runs'));
  const record = JSON.parse(readFileSync(join(cacheFolder, 'runs', name), 'utf8')) as RunRecord;
  return { ...record, children: record.children.filter((child) => child.name === 'postgres') };
}

function end(parent: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise<void>((resolve) => parent.once('exit', () => resolve()));
  parent.kill(signal);
  return ended;
}

function tell(parent: ChildProcess, word: string): Promise<void> {
  const ended = new Promise<void>((resolve) => parent.once('exit', () => resolve()));
  parent.stdin?.write(word);
  return ended;
}
