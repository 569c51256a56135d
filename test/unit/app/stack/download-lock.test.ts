import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdDownloadLock } from '../../../../src/app/stack/download-lock.ts';
import { identityOf } from '../../../../src/app/stack/process-identity.ts';

describe('one download at a time', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pin-test-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('waits while a living process holds the lock, and says so', async () => {
    const path = join(folder, 'lock');
    const first = await holdDownloadLock(path, () => {});
    const second = await new Promise<{ release(): void }>((resolve, reject) => {
      // The first word of the waiting one is the signal that it found the lock taken.
      holdDownloadLock(path, () => first.release()).then(resolve, reject);
    });
    second.release();
    expect(existsSync(path)).toBe(false);
  });

  it('takes over from a holder that is gone', async () => {
    const path = join(folder, 'lock');
    const said: string[] = [];
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'before this boot' }));
    const lock = await holdDownloadLock(path, (line) => said.push(line));
    expect(said).toEqual([]);
    lock.release();
  });
});

describe('telling a process from a later one with its number', () => {
  it('the same process is the same twice', () => {
    expect(identityOf(process.pid)).toEqual(identityOf(process.pid));
  });

  it('a number that no process has is nobody', () => {
    expect(identityOf(2 ** 30)).toBeNull();
  });
});
