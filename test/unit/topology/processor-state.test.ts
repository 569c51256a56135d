import { expect, test } from 'vitest';
import { type ProcessorState, stateMachine } from '../../../src/topology/processor-state.ts';

function aMachine(...states: ProcessorState[]) {
  const errors: unknown[] = [];
  const machine = stateMachine((error) => errors.push(error));
  for (const state of states) machine.enter(state);
  const heard: string[] = [];
  machine.onChange((to, from) => heard.push(`${from} → ${to}`));
  return { machine, heard, errors };
}

test('a processor rebalances and runs, again and again', () => {
  const { machine, heard } = aMachine('running');
  for (const state of ['rebalancing', 'running', 'rebalancing'] as const) machine.enter(state);
  expect(heard).toEqual(['running → rebalancing', 'rebalancing → running', 'running → rebalancing']);
});

test('a stopping processor only stops, and a stopped one stays stopped', () => {
  const { machine } = aMachine('running', 'stopping');
  machine.enter('rebalancing');
  machine.enter('running');
  expect(machine.current()).toBe('stopping');
  machine.enter('stopped');
  for (const state of ['running', 'failed', 'stopping'] as const) machine.enter(state);
  expect(machine.current()).toBe('stopped');
});

test('a failed processor only stops', () => {
  const { machine } = aMachine('running', 'failed');
  machine.enter('running');
  machine.enter('stopping');
  expect(machine.current()).toBe('failed');
  machine.enter('stopped');
  expect(machine.current()).toBe('stopped');
});

test('entering the same state again is no news', () => {
  const { machine, heard } = aMachine('running');
  machine.enter('running');
  expect(heard).toEqual([]);
});

test('a listener that throws is reported and does not keep the news from the others', () => {
  const { machine, errors } = aMachine();
  machine.onChange(() => {
    throw new RangeError('listener');
  });
  const heard: ProcessorState[] = [];
  machine.onChange((to) => heard.push(to));
  machine.enter('running');
  expect(heard).toEqual(['running']);
  expect(errors).toEqual([new RangeError('listener')]);
});

test('a listener that was taken off hears nothing more', () => {
  const { machine } = aMachine();
  const heard: ProcessorState[] = [];
  const off = machine.onChange((to) => heard.push(to));
  off();
  machine.enter('running');
  expect(heard).toEqual([]);
});
