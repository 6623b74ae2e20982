/**
 * Deliveries that a dispatcher has leased but not sent yet, by endpoint. For a healthy endpoint, up to as many
 * deliveries are leased as it accepted in a second. The next request then begins as soon as a previous one has ended,
 * within the endpoint's limit of parallel requests. When an attempt fails, all waiting deliveries of the endpoint are
 * turned away, because the endpoint may be down or paused; so is a delivery that has waited longer than a second.
 */
import { getOrCreate } from '../base/concurrency/bounded-map.ts';
import type { LeasedDelivery } from '../store/webhooks/deliveries.ts';
import { type EndpointKey, endpointName } from '../store/webhooks/endpoint-schedule.ts';

/** A delivery with a free request slot, to be sent now. */
export interface Admitted {
  /** Waiting time in the queue. Unit: ms. */
  readonly waitedMs: number;
  /** Frees the slot at the end of the request; `isWell`: the request succeeded. */
  readonly leave: (isWell: boolean) => void;
}

/** Maximum number of remembered endpoints. For a forgotten endpoint no deliveries are leased ahead. */
const REMEMBERED_MAX = 10_000;
/** Maximum wait of a leased delivery; after it the delivery is turned away. Unit: ms. */
const WAIT_MAX_MS = 1_000;

/** The requests and the queue of one endpoint. */
class EndpointQueue {
  /** Number of successes in the newest second with any; 0 after a delivery was turned away. */
  perSecond = 0;
  #successes = 0;
  #sending = 0;
  #most = 1;
  /** Waiting deliveries, the oldest first. */
  readonly #waiting: { readonly sinceMs: number; readonly end: (admitted?: Admitted) => void }[] = [];

  enter({ most, isByHand: isManual }: LeasedDelivery): Promise<Admitted | undefined> {
    if (isManual) return Promise.resolve(this.#admit(0));
    this.#most = most;
    return new Promise((end) => {
      const nowMs = performance.now();
      this.#waiting.push({ sinceMs: nowMs, end });
      this.#fill(nowMs);
    });
  }

  tend(): void {
    if (this.#successes > 0) this.perSecond = this.#successes;
    this.#successes = 0;
    this.#refuse(performance.now() - WAIT_MAX_MS);
  }

  #admit(waitedMs: number): Admitted {
    this.#sending++;
    return { waitedMs, leave: (isWell) => this.#leave(isWell) };
  }

  #leave(isWell: boolean): void {
    this.#sending--;
    if (isWell) this.#successes++;
    const nowMs = performance.now();
    this.#refuse(isWell ? nowMs - WAIT_MAX_MS : nowMs);
    this.#fill(nowMs);
  }

  /** Admits waiting deliveries while slots are free. */
  #fill(nowMs: number): void {
    for (let next = this.#waiting[0]; next && this.#sending < this.#most; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.end(this.#admit(nowMs - next.sinceMs));
    }
  }

  /** Turns away deliveries that have waited since `sinceMs` or longer. */
  #refuse(sinceMs: number): void {
    for (let next = this.#waiting[0]; next && next.sinceMs <= sinceMs; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.perSecond = 0;
      this.#successes = 0;
      next.end();
    }
  }
}

/** The queues of all endpoints of a dispatcher. */
export class EndpointQueues {
  readonly #queues = new Map<string, EndpointQueue>();

  /**
   * @returns the number of deliveries that may be leased ahead, to be sent one at a time; 0 for an endpoint without
   *   recent successes.
   */
  ahead(endpoint: EndpointKey): number {
    return this.#queues.get(endpointName(endpoint))?.perSecond ?? 0;
  }

  /**
   * Waits until the endpoint has a free slot.
   * @returns undefined if the delivery was turned away and must not be sent.
   */
  enter(delivery: LeasedDelivery): Promise<Admitted | undefined> {
    return this.#of(delivery).enter(delivery);
  }

  /** Updates the success rates, and turns away deliveries that waited too long. Call it every second. */
  tend(): void {
    for (const queue of this.#queues.values()) queue.tend();
  }

  #of(endpoint: EndpointKey): EndpointQueue {
    return getOrCreate(this.#queues, REMEMBERED_MAX, endpointName(endpoint), () => new EndpointQueue());
  }
}
