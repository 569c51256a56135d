// The life of a processor as a small state machine with listeners. A listener that throws is reported and never stops the others.

export type ProcessorState = 'created' | 'rebalancing' | 'running' | 'stopping' | 'stopped' | 'failed';

export type StateListener = (to: ProcessorState, from: ProcessorState) => void;

export interface StateMachine {
  current(): ProcessorState;
  /** Ignored when the machine may not go there (a stopped processor stays stopped). */
  enter(to: ProcessorState): void;
  onChange(listener: StateListener): () => void;
}

const MAY_ENTER: Readonly<Record<ProcessorState, readonly ProcessorState[]>> = {
  created: ['rebalancing', 'running', 'stopping', 'failed'],
  rebalancing: ['running', 'stopping', 'failed'],
  running: ['rebalancing', 'stopping', 'failed'],
  stopping: ['stopped', 'failed'],
  stopped: [],
  failed: ['stopped'],
};

export function stateMachine(onListenerError: (error: unknown) => void): StateMachine {
  let state: ProcessorState = 'created';
  const listeners = new Set<StateListener>();
  return {
    current: () => state,
    enter(to) {
      if (to === state || !MAY_ENTER[state].includes(to)) return;
      const from = state;
      state = to;
      for (const listener of listeners) {
        try {
          listener(to, from);
        } catch (error) {
          onListenerError(error);
        }
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
