/**
 * Schedules a dispatcher's scans for endpoints with due deliveries, and for the waiting deliveries of each endpoint
 * (store/connection/poll-schedule.ts).
 */
import { getOrCreate } from '../base/concurrency/bounded-map.ts';
import { PollSchedule } from '../store/connection/poll-schedule.ts';
import type { Leased, LeaseSince } from '../store/webhooks/deliveries.ts';
import { type EndpointKey, endpointName } from '../store/webhooks/endpoint-schedule.ts';

/**
 * Maximum number of endpoints whose scan times are remembered. For a forgotten endpoint, all waiting deliveries are
 * scanned.
 */
const REMEMBERED_MAX = 10_000;

/** The scans of a dispatcher. Only one scan runs at a time. */
export class DeliveryScans {
  readonly #endpointTurns = newSchedule();
  readonly #endpoints = new Map<string, PollSchedule<number>>();

  /** Begins a scan. @returns the earliest due time of the deliveries to find. */
  begin(): LeaseSince {
    return {
      endpointsMs: this.#endpointTurns.begin(),
      ofEndpoint: (endpoint) => this.#of(endpoint).begin(),
    };
  }

  /**
   * Ends a successful scan. `nowMs` is the time of the process clock when the scan began. An endpoint that got no
   * delivery, or only redeliveries, may have been at its limit, so its scan does not count as done.
   */
  end(nowMs: number, { leased, areMoreEndpoints }: Leased): void {
    this.#endpointTurns.end(nowMs, areMoreEndpoints);
    const scanned = leased.filter(({ isByHand: isManual }) => !isManual);
    const late = new Set(scanned.filter(({ isLate }) => isLate).map(endpointName));
    for (const [name, endpoint] of new Map(scanned.map((delivery) => [endpointName(delivery), delivery])))
      this.#of(endpoint).end(nowMs, late.has(name));
  }

  #of(endpoint: EndpointKey): PollSchedule<number> {
    return getOrCreate(this.#endpoints, REMEMBERED_MAX, endpointName(endpoint), newSchedule);
  }
}

function newSchedule(): PollSchedule<number> {
  return new PollSchedule((nowMs, byMs) => nowMs - byMs);
}
