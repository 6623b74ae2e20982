/** Signed callbacks of the fake provider, retried at growing intervals until the receiver answers with 2xx. */
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import type { Faults } from './faults.ts';

/** A callback, ready to be sent. */
export interface Callback {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a callback; with `isForged`, one that is signed with a wrong secret and reports the opposite decision. */
export type Write = (isForged: boolean) => Callback;

/** Number of attempts by outcome: a status, or `unreachable`. */
export type CallbackCounts = Readonly<Record<string, number>>;

/** Time limit of a call, and pauses between attempts, which double from the first to the last. Unit: ms. */
const LIMIT_MS = 10_000;
const PAUSE_FIRST_MS = 250;
const PAUSE_MAX_MS = 60_000;
const ATTEMPTS_MAX = 15;

/** Secret of forged callbacks, which no one shares. */
export const FORGED_SECRET = 'a secret that nobody shares';

/** @returns a callback signed with HMAC-SHA256 over `timestamp.body`. */
export function signedCallback(secret: string, content: object, isForged: boolean): Callback {
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', isForged ? FORGED_SECRET : secret)
    .update(`${timestamp}.${body}`)
    .digest('hex');
  return { body, headers: { 'x-timestamp': timestamp, 'x-signature': signature } };
}

/** Sends callbacks. */
export class Callbacks {
  readonly #faults: Faults;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #counts = new Map<string, number>();
  #isClosed = false;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** Sends a callback, with the next fault of the plan if there is one. Does nothing without a URL. */
  send(url: string | null, write: Write): void {
    if (url === null) return;
    const fault = this.#faults.next('callback');
    const deliver = (isForged = false) => this.#deliver(url, write(isForged), 0);
    switch (fault?.fault) {
      case 'lost':
        break;
      case 'doubled':
        deliver();
        deliver();
        break;
      case 'late':
        this.#after(fault.ms, deliver);
        break;
      case 'reordered':
        this.#after(Math.floor(this.#faults.roll() * fault.ms), deliver);
        break;
      case 'forged':
        this.#deliver(url, write(true), ATTEMPTS_MAX);
        deliver();
        break;
      default:
        deliver();
    }
  }

  /** @returns number of attempts so far, by outcome. */
  counts(): CallbackCounts {
    return Object.fromEntries(this.#counts);
  }

  /** Drops all unsent callbacks. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, work: () => void): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }

  #deliver(url: string, callback: Callback, attempts: number): void {
    if (this.#isClosed) return;
    void post(url, callback).then((outcome) => {
      this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
      if (outcome.startsWith('2') || attempts + 1 >= ATTEMPTS_MAX) return;
      const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** attempts, PAUSE_MAX_MS);
      this.#after(pauseMs, () => this.#deliver(url, callback, attempts + 1));
    });
  }
}

/** @returns the status as text, or `unreachable`. */
function post(url: string, { body, headers }: Callback): Promise<string> {
  return new Promise((resolve) => {
    const call = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
      timeout: LIMIT_MS,
    });
    call
      .on('response', (response) => {
        response.resume();
        resolve(String(response.statusCode));
      })
      .on('timeout', () => call.destroy())
      .on('error', () => resolve('unreachable'))
      .end(body);
  });
}
