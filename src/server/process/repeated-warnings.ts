/**
 * Repeated warnings: the first is logged, those of the next ten seconds are counted, and their count is logged with the last
 * of them.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Unit: ms. */
const WINDOW_MS = 10_000;
/** Maximum number of different warnings that are counted at the same time; further ones are logged immediately. */
const KEYS_MAX = 200;

/** Logs a warning. */
type Write = (facts: Record<string, unknown>, text: string) => void;

interface Window {
  repeated: number;
  /** The last of the warnings that were not logged. */
  last: (() => void) | undefined;
}

/** Warnings that were logged in the last ten seconds. */
export class RepeatedWarnings {
  readonly #windows = new Map<string, Window>();
  readonly #windowMs: number;

  constructor(windowMs = WINDOW_MS) {
    this.#windowMs = windowMs;
  }

  /** Logs a warning, or counts it if the same one was logged recently. */
  log(facts: Record<string, unknown>, text: string, write: Write): void {
    const key = keyOf(facts, text);
    const window = this.#windows.get(key);
    if (!window) {
      if (this.#windows.size < KEYS_MAX) this.#open(key);
      write(facts, text);
      return;
    }
    window.repeated += 1;
    // The count is written later, with the current transaction and trace.
    window.last = AsyncLocalStorage.bind(() => write({ ...facts, repeated: window.repeated }, text));
  }

  #open(key: string): void {
    const window: Window = { repeated: 0, last: undefined };
    this.#windows.set(key, window);
    const timer = setInterval(() => {
      if (window.last) {
        window.last();
        window.repeated = 0;
        window.last = undefined;
        return;
      }
      clearInterval(timer);
      this.#windows.delete(key);
    }, this.#windowMs).unref();
  }
}

/** Requests and jobs that fail for the same reason have the same key. */
function keyOf({ requestId, jobId, err, ...facts }: Record<string, unknown>, text: string): string {
  const { code, message } = (err ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return JSON.stringify([text, code ?? message, facts], (_name, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
