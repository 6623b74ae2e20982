/**
 * Limits the parallel GraphQL of one account. Further operations, and frames of subscriptions, wait, so that
 * expensive work for one account does not delay that of others. Operations and frames have a queue each, served
 * alternately: one event can make a thousand frames, and a query of the same account does not wait for all of them.
 */
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../../base/errors/errors.ts';
import { noteLimit } from '../../base/trace/measures.ts';

/** Maximum number of points of one account at a time. An operation with more points runs alone. */
const POINTS_MAX = 10_000;
/** Maximum number of waiting operations of one account. */
const WAITING_MAX = 50;
/** Weight of the newest measurement in the average duration. */
const NEWEST_SHARE = 0.2;
const RETRY_MAX_SECONDS = 60;

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Operations of one account: running and waiting ones. */
class Line {
  running = 0;
  readonly operations: Waiting[] = [];
  readonly frames: Waiting[] = [];
  #round = this.operations;

  /** The queue to serve next. */
  get #next(): Waiting[] {
    return this.#round.length > 0 ? this.#round : this.#otherThan(this.#round);
  }

  /** Whether an operation of this weight may begin without waiting. */
  isFreeFor(weight: number): boolean {
    return this.#next.length === 0 && this.#fits(weight);
  }

  /** Starts the operations that fit. No operation overtakes the head of the queue: heavy work would wait for ever. */
  goOn(): void {
    for (let queue = this.#next; queue[0] && this.#fits(queue[0].weight); queue = this.#next) {
      const { weight, begin } = queue.shift() as Waiting;
      this.#round = this.#otherThan(queue);
      this.running += weight;
      begin();
    }
  }

  #fits(weight: number): boolean {
    return this.running + weight <= POINTS_MAX;
  }

  #otherThan(queue: Waiting[]): Waiting[] {
    return queue === this.frames ? this.operations : this.frames;
  }
}

/** The operations of all accounts. */
export class OperationGate {
  readonly #lines = new Map<string, Line>();
  #msPerPoint = 0.02;

  /**
   * Waits until an operation may begin.
   * @param holder - key of the shared limit, as `sharedBy` returns it.
   * @param points - cost of the operation.
   * @param response - response of the request: an operation whose client has disconnected stops waiting. A frame of a
   * subscription has no response: it is never refused, because its stream would miss it, and does not count among the
   * waiting operations.
   * @returns a function to be called when it has ended.
   * @throws {GatewayError} `RATE_LIMITED` when too many wait, with the time to retry after.
   */
  async enter(holder: string, points: number, response?: ServerResponse): Promise<() => void> {
    const weight = Math.max(1, Math.min(points, POINTS_MAX));
    const line = this.#lines.get(holder) ?? new Line();
    this.#lines.set(holder, line);
    if (response && line.operations.length >= WAITING_MAX) {
      noteLimit('account');
      throw new GatewayError(
        'RATE_LIMITED',
        `more than ${WAITING_MAX} operations of this account are waiting`,
        {
          retryAfter: this.#secondsOf(line),
        },
      );
    }
    if (line.isFreeFor(weight)) line.running += weight;
    else await (response ? waitWithClient(line, weight, response) : waitAsFrame(line, weight));
    const begunAt = performance.now();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#learn((performance.now() - begunAt) / weight);
      line.running -= weight;
      line.goOn();
      if (line.running === 0) this.#lines.delete(holder);
    };
  }

  #learn(msPerPoint: number): void {
    this.#msPerPoint += NEWEST_SHARE * (msPerPoint - this.#msPerPoint);
  }

  /**
   * Estimates from recent durations when the waiting operations will have started, assuming as many frames between
   * them.
   */
  #secondsOf({ operations, frames, running }: Line): number {
    const before = [...operations, ...frames.slice(0, operations.length)];
    const points = before.reduce((sum, { weight }) => sum + weight, running);
    return Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((points * this.#msPerPoint) / 1_000)));
  }
}

function waitAsFrame({ frames }: Line, weight: number): Promise<void> {
  return new Promise((begin) => frames.push({ weight, begin }));
}

function waitWithClient(line: Line, weight: number, response: ServerResponse): Promise<void> {
  const { operations } = line;
  return new Promise((resolve, reject) => {
    const leave = () => {
      operations.splice(operations.indexOf(waiting), 1);
      line.goOn();
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
    operations.push(waiting);
  });
}
