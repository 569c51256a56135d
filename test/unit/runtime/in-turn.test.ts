import { expect, test } from 'vitest';
import { inTurn } from '../../../src/runtime/in-turn.ts';

/** A step that ends when it is told to. */
function aStep(began: string[], name: string) {
  let [end, fail]: [() => void, () => void] = [() => undefined, () => undefined];
  const step = () => {
    began.push(name);
    return new Promise<void>((resolve, reject) => {
      [end, fail] = [resolve, () => reject(new Error(name))];
    });
  };
  return { step, end: () => end(), fail: () => fail() };
}

test('the first leaves at once, each other when the one before has ended, also by an error', async () => {
  const run = inTurn();
  const began: string[] = [];
  const [one, two, three] = ['one', 'two', 'three'].map((name) => aStep(began, name)) as [
    ReturnType<typeof aStep>,
    ReturnType<typeof aStep>,
    ReturnType<typeof aStep>,
  ];
  const [first, second] = [run(one.step), run(two.step)];
  expect(began).toEqual(['one']);
  one.fail();
  await expect(first).rejects.toThrow('one');
  await expect.poll(() => began).toEqual(['one', 'two']);
  two.end();
  await second;
  await new Promise(setImmediate);
  const third = run(three.step);
  expect(began).toEqual(['one', 'two', 'three']);
  three.end();
  await third;
});
