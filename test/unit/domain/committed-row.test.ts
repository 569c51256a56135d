// A row that changes stays one row: the same columns in the same order, so that V8 keeps one hidden class for all of them.
import { expect, test } from 'vitest';
import { newNotification } from '../../../src/domain/admission.ts';
import { changed } from '../../../src/domain/committed-row.ts';
import { aClaim, aNotification, aRequest } from '../../support/a-notification.ts';

test('a changed row has the other values, and the row before keeps its own', () => {
  const before = aNotification({ attempts: 1, trail: '1 claimed n=1\n' });
  const claim = aClaim();
  const after = changed(before, { attempts: 2, claim, wakeAtMs: null });
  expect(after).toEqual({ ...before, attempts: 2, claim, wakeAtMs: null });
  expect(before).toEqual(aNotification({ attempts: 1, trail: '1 claimed n=1\n' }));
});

test('whichever columns change, in whatever order a row was made, the columns stand in one order', () => {
  const row = aNotification();
  const shuffled = Object.fromEntries(Object.entries(row).reverse()) as unknown as typeof row;
  const columns = (one: object) => Object.keys(one);
  const first = columns(changed(row, { status: 'Sent', final: 'accepted' }));
  expect(columns(changed(shuffled, { trail: '2 held\n' }))).toEqual(first);
  expect([...first].sort()).toEqual(columns(row).sort());
});

test('what was never committed gets no column of the store', () => {
  const unborn = newNotification(aRequest());
  expect(changed(unborn, { hold: 'channel-disabled' })).toStrictEqual({
    ...unborn,
    hold: 'channel-disabled',
  });
});
