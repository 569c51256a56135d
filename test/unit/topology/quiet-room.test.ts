import { describe, expect, test } from 'vitest';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { lanes } from '../../../src/topology/lanes.ts';
import { quietRoom } from '../../../src/topology/quiet-room.ts';

function aRoom() {
  const time = virtualTime();
  const events: string[] = [];
  const bugs: unknown[] = [];
  const running = lanes(
    time.clock,
    10,
    () => undefined,
    (error) => void bugs.push(error),
  );
  const room = quietRoom({
    ...time,
    lanes: running,
    stopping: new AbortController().signal,
    afterEach: () => Promise.resolve(void events.push('nobody alone')),
    onOpen: () => void events.push('open'),
  });
  const open: (() => void)[] = [];
  /** Work in flight that ends when it is told to. */
  const busy = () => running.run('busy', () => new Promise<void>((resolve) => open.push(resolve)));
  const suspect = (name: string, isStillSuspect = true) =>
    room.add({
      laneKey: name,
      before: () => Promise.resolve(isStillSuspect),
      work: () => Promise.resolve(void events.push(`${name} with ${running.inFlight() - 1} others`)),
    });
  return {
    time,
    room,
    events,
    bugs,
    busy,
    suspect,
    endWork: () => open.splice(0).forEach((end) => void end()),
  };
}

describe('the quiet room', () => {
  test('closes the intake, waits for what is in flight, and lets suspects in one at a time', async () => {
    const { time, room, events, bugs, busy, suspect, endWork } = aRoom();
    busy();
    suspect('a');
    suspect('b');
    await time.advance(1_000);
    expect([room.isOpen(), events]).toEqual([false, []]);
    endWork();
    await time.settle();
    expect(events).toEqual(['a with 0 others', 'nobody alone', 'b with 0 others', 'nobody alone', 'open']);
    expect([room.isOpen(), bugs]).toEqual([true, []]);
  });

  test('gives up for a while when what is in flight does not end, and stays open as long as it was closed', async () => {
    const { time, room, events, busy, suspect, endWork } = aRoom();
    busy();
    suspect('a');
    await time.advance(20_000);
    expect([room.isOpen(), events]).toEqual([true, ['open']]);
    await time.advance(19_000);
    expect(room.isOpen()).toBe(true);
    await time.advance(2_000);
    expect(room.isOpen()).toBe(false);
    endWork();
    await time.settle();
    expect(events).toEqual(['open', 'a with 0 others', 'nobody alone', 'open']);
  });

  test('waits for nobody who need not be alone any more', async () => {
    const { time, events, suspect } = aRoom();
    suspect('a', false);
    await time.settle();
    expect(events).toEqual(['a with 0 others', 'open']);
  });
});
