/**
 * Scans of a dispatcher for deliveries: turns of endpoints, and waiting deliveries of each endpoint
 * (store/connection/queue-looks.ts).
 */
import { keptOrMade } from '../base/concurrency/keep-newest.ts';
import { QueueLooks } from '../store/connection/queue-looks.ts';
import type { Leased, LeaseSince } from '../store/webhooks/deliveries.ts';
import { type EndpointKey, endpointName } from '../store/webhooks/turns.ts';

/** Maximum number of endpoints whose scans are remembered; of a forgotten one, all waiting deliveries are scanned. */
const REMEMBERED_MAX = 10_000;

/** The scans of a dispatcher, one at a time. */
export class DeliveryLooks {
  readonly #turns = looks();
  readonly #endpoints = new Map<string, QueueLooks<number>>();

  /**
   * Begins a scan.
   *
   * @returns the earliest due time of the deliveries to find.
   */
  begin(): LeaseSince {
    return {
      turnsMs: this.#turns.begin(),
      ofEndpoint: (endpoint) => this.#of(endpoint).begin(),
    };
  }

  /**
   * Ends a scan that succeeded, begun at this time of the process clock. An endpoint that got nothing, or only
   * redeliveries, may have had no room, so its waiting deliveries were not scanned: its scan does not count.
   */
  end(nowMs: number, { leased, areMoreTurns }: Leased): void {
    this.#turns.end(nowMs, areMoreTurns);
    const inTurn = leased.filter(({ isByHand }) => !isByHand);
    const late = new Set(inTurn.filter(({ isLate }) => isLate).map(endpointName));
    for (const [name, endpoint] of new Map(inTurn.map((delivery) => [endpointName(delivery), delivery])))
      this.#of(endpoint).end(nowMs, late.has(name));
  }

  #of(endpoint: EndpointKey): QueueLooks<number> {
    return keptOrMade(this.#endpoints, REMEMBERED_MAX, endpointName(endpoint), looks);
  }
}

function looks(): QueueLooks<number> {
  return new QueueLooks((nowMs, byMs) => nowMs - byMs);
}
