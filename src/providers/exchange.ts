// One HTTP request and its answer, for adapters whose vendor speaks HTTP. It promises: one request at most, permission asked right
// before the first byte, one deadline from the asking to the last byte of the answer, a capped answer, and the phase in which it
// failed. It never follows a redirect, never tries again, never rejects, and never judges what an answer means.
import type { Dispatcher } from 'undici';
import { Fault } from '../runtime/fault.ts';
import type { Cancel, Timers } from '../runtime/timers.ts';
import type { MayStart } from './provider.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly deadlineMs: number;
}

export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

export type ExchangeAnswer =
  /** Permission was refused: nothing left. */
  | { readonly kind: 'not-started' }
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: HeaderValues;
      /** null: the answer broke off, came too late or was longer than MAX_ANSWER_BYTES. */
      readonly body: string | null;
    }
  /** `connecting`: no byte of the request left. `sent`: it may have arrived. `error` is null at the deadline. */
  | { readonly kind: 'failed'; readonly phase: 'connecting' | 'sent'; readonly error: unknown };

export const MAX_ANSWER_BYTES = 65_536;

/** Runs one request on a pool made by `openPool`. */
export function exchange(
  deps: { readonly pool: Dispatcher; readonly timers: Timers },
  request: ExchangeRequest,
  mayStart: MayStart,
): Promise<ExchangeAnswer> {
  return new Promise((resolve) => {
    const running = new Exchange(mayStart, resolve);
    running.watch(deps.timers.after(request.deadlineMs, () => running.stopAtDeadline()));
    try {
      deps.pool.dispatch(
        {
          method: request.method,
          path: request.path,
          headers: request.headers,
          body: request.body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        running,
      );
    } catch (error) {
      running.onResponseError(null, error);
    }
  });
}

/** Owns a socket while a request is on it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #mayStart: MayStart;
  readonly #resolve: (answer: ExchangeAnswer) => void;
  #cancelDeadline: Cancel = () => undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  /** 0 until the head of the answer is here. */
  #status = 0;
  #headers: HeaderValues = {};
  #chunks: Buffer[] = [];
  #answerBytes = 0;

  constructor(mayStart: MayStart, resolve: (answer: ExchangeAnswer) => void) {
    this.#mayStart = mayStart;
    this.#resolve = resolve;
  }

  watch(cancelDeadline: Cancel): void {
    this.#cancelDeadline = cancelDeadline;
  }

  stopAtDeadline(): void {
    this.#breakOff(null);
  }

  /** A socket is connected and nothing is written yet. A second start would be a second request: it is cut. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const isRepeat = this.#controller !== null;
    if (isRepeat) this.#finish({ kind: 'failed', phase: 'sent', error: OVER });
    if (!this.#isOver && !this.#mayStart()) this.#finish({ kind: 'not-started' });
    if (this.#isOver) controller.abort(OVER);
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HeaderValues): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answerBytes += chunk.length;
    if (this.#answerBytes > MAX_ANSWER_BYTES) this.#breakOff(OVER);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#finish({ kind: 'answered', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#status !== 0) {
      this.#finish({ kind: 'answered', status: this.#status, headers: this.#headers, body: null });
    } else {
      this.#finish({ kind: 'failed', phase: this.#controller === null ? 'connecting' : 'sent', error });
    }
  }

  #breakOff(error: unknown): void {
    if (this.#isOver) return;
    this.onResponseError(null, error);
    this.#controller?.abort(OVER);
  }

  #finish(answer: ExchangeAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelDeadline();
    this.#resolve(answer);
  }
}

/** Why we end a request ourselves; nobody sees it but undici. */
const OVER = new Fault('PIN_CALL_OVER', 'the call is over', { retriable: false });
