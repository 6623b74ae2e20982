/**
 * How much GraphQL one key has under way at once. What is over that waits in line, so that a key that asks for much waits for
 * itself and nobody else does.
 */
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../base/errors.ts';

/** Points of one key under way at once; an operation of more is under way alone. */
const POINTS_MAX = 10_000;
/** Operations of one key that wait. */
const WAITING_MAX = 50;
/** How much the newest measurement counts. */
const NEWEST_SHARE = 0.2;
const RETRY_MAX_SECONDS = 60;

interface Waiting {
  readonly weight: number;
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
   * @param response - of its request: an operation whose client has gone waits no longer.
   * @returns what is to be called when it has ended.
   * @throws {GatewayError} `RATE_LIMITED` when too many wait; it says when there will be room.
   */
  async enter(keyId: string, points: number, response: ServerResponse): Promise<() => void> {
    const weight = Math.max(1, Math.min(points, POINTS_MAX));
    const line = this.#lines.get(keyId) ?? { underWay: 0, waiting: [] };
    this.#lines.set(keyId, line);
    if (line.waiting.length >= WAITING_MAX)
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

  #wait(line: Line, weight: number, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.waiting = line.waiting.filter((each) => each !== waiting);
        this.#goOn(line);
        reject(new GatewayError('UNAVAILABLE', 'the client disconnected'));
      };
      const waiting: Waiting = {
        weight,
        begin: () => {
          response.off('close', leave);
          resolve();
        },
      };
      response.once('close', leave);
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

  /** By then what waits now has begun, as far as one can tell from what operations took lately. */
  #secondsOf({ waiting, underWay }: Line): number {
    const points = waiting.reduce((sum, { weight }) => sum + weight, underWay);
    return Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((points * this.#msPerPoint) / 1_000)));
  }
}
