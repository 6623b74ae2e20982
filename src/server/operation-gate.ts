/**
 * Limits how much GraphQL one key executes at once. Further operations of the key, and frames of its subscriptions, wait in a queue,
 * so that expensive work for one key does not delay that for others.
 */
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../base/errors.ts';

/** Maximum points of one key at once. An operation with more runs alone. */
const POINTS_MAX = 10_000;
/** Maximum number of waiting operations of one key. */
const WAITING_MAX = 50;
/** Weight of the newest measurement in the average duration. */
const NEWEST_SHARE = 0.2;
const RETRY_MAX_SECONDS = 60;

interface Waiting {
  readonly weight: number;
  readonly isFrame: boolean;
  readonly begin: () => void;
}

interface Line {
  underWay: number;
  waiting: Waiting[];
}

/** The operations of all keys. */
export class OperationGate {
  readonly #lines = new Map<string, Line>();
  #msPerPoint = 0.02;

  /**
   * Waits until an operation may begin.
   *
   * @param keyId - of its key.
   * @param points - what it costs.
   * @param response - of its request: an operation whose client has gone waits no longer. A frame of a subscription has none. It is not
   *   refused, because its stream would miss it, and does not count among the operations that wait.
   * @returns a function to be called when it has ended.
   * @throws {GatewayError} `RATE_LIMITED` when too many wait, with the time to retry after.
   */
  async enter(keyId: string, points: number, response?: ServerResponse): Promise<() => void> {
    const weight = Math.max(1, Math.min(points, POINTS_MAX));
    const line = this.#lines.get(keyId) ?? { underWay: 0, waiting: [] };
    this.#lines.set(keyId, line);
    if (response && isFull(line))
      throw new GatewayError('RATE_LIMITED', `more than ${WAITING_MAX} operations of this key are waiting`, {
        retryAfter: this.#secondsOf(line),
      });
    if (line.waiting.length > 0 || line.underWay + weight > POINTS_MAX)
      await this.#wait(line, weight, response);
    else line.underWay += weight;
    const begunAt = performance.now();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#learn((performance.now() - begunAt) / weight);
      line.underWay -= weight;
      this.#goOn(line);
      if (line.underWay === 0) this.#lines.delete(keyId);
    };
  }

  #wait(line: Line, weight: number, response?: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.waiting = line.waiting.filter((each) => each !== waiting);
        this.#goOn(line);
        reject(new GatewayError('UNAVAILABLE', 'the client disconnected'));
      };
      const waiting: Waiting = {
        weight,
        isFrame: response === undefined,
        begin: () => {
          response?.off('close', leave);
          resolve();
        },
      };
      response?.once('close', leave);
      line.waiting.push(waiting);
    });
  }

  #goOn(line: Line): void {
    for (
      let next = line.waiting[0];
      next && line.underWay + next.weight <= POINTS_MAX;
      next = line.waiting[0]
    ) {
      line.waiting.shift();
      line.underWay += next.weight;
      next.begin();
    }
  }

  #learn(msPerPoint: number): void {
    this.#msPerPoint += NEWEST_SHARE * (msPerPoint - this.#msPerPoint);
  }

  /** Estimates from recent durations when the operations that wait now will have started. */
  #secondsOf({ waiting, underWay }: Line): number {
    const points = waiting.reduce((sum, { weight }) => sum + weight, underWay);
    return Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((points * this.#msPerPoint) / 1_000)));
  }
}

function isFull({ waiting }: Line): boolean {
  return waiting.length >= WAITING_MAX && waiting.filter(({ isFrame }) => !isFrame).length >= WAITING_MAX;
}
