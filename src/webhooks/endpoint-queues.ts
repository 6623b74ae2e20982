/**
 * Deliveries that a dispatcher has leased and not sent yet, by endpoint. An endpoint that answers well is leased as
 * much as it accepted in a second, so that a request begins as soon as one before it has ended, within the endpoint's
 * limit of parallel requests. Deliveries that wait when an attempt fails, or for longer than a second, are not sent:
 * the endpoint may be down or paused.
 */
import { getOrCreate } from '../base/concurrency/bounded-map.ts';
import type { LeasedDelivery } from '../store/webhooks/deliveries.ts';
import { type EndpointKey, endpointName } from '../store/webhooks/endpoint-schedule.ts';

/** A delivery that is sent now. */
export interface Admitted {
  /** For how long it waited, milliseconds. */
  readonly waitedMs: number;
  /** Says that its request has ended, and whether with success. */
  readonly leave: (isWell: boolean) => void;
}

/** Maximum number of remembered endpoints; a forgotten one is leased no more than may be sent in parallel. */
const REMEMBERED_MAX = 10_000;
/** Maximum wait of a leased delivery; afterwards it is not sent. Unit: ms. */
const WAIT_MAX_MS = 1_000;

/** The requests of one endpoint. */
class EndpointQueue {
  /** Successes in the newest second that had any; 0 once something was not sent. */
  perSecond = 0;
  #successes = 0;
  #sending = 0;
  #most = 1;
  /** The one that waits longest first. */
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

  /** Admits what waits, as far as there is room. */
  #fill(nowMs: number): void {
    for (let next = this.#waiting[0]; next && this.#sending < this.#most; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.end(this.#admit(nowMs - next.sinceMs));
    }
  }

  /** Turns away what has waited since then. */
  #refuse(sinceMs: number): void {
    for (let next = this.#waiting[0]; next && next.sinceMs <= sinceMs; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.perSecond = 0;
      this.#successes = 0;
      next.end();
    }
  }
}

/** The requests of all endpoints of a dispatcher. */
export class EndpointQueues {
  readonly #queues = new Map<string, EndpointQueue>();

  /**
   * @returns the number of deliveries that may be leased ahead, to be sent one at a time; 0 while nothing is known of
   *   the endpoint.
   */
  ahead(endpoint: EndpointKey): number {
    return this.#queues.get(endpointName(endpoint))?.perSecond ?? 0;
  }

  /** Waits until the endpoint has room for the delivery. @returns undefined when it is not to be sent. */
  enter(delivery: LeasedDelivery): Promise<Admitted | undefined> {
    return this.#of(delivery).enter(delivery);
  }

  /** Counts what endpoints took, and ends waits that are too long. To be called every second. */
  tend(): void {
    for (const queue of this.#queues.values()) queue.tend();
  }

  #of(endpoint: EndpointKey): EndpointQueue {
    return getOrCreate(this.#queues, REMEMBERED_MAX, endpointName(endpoint), () => new EndpointQueue());
  }
}
