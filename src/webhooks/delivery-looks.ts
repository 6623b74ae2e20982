/** Where a dispatcher looks for deliveries: at the turns of endpoints, and at what waits for each of them (store/connection/queue-looks.ts). */
import { keptOrMade } from '../base/concurrency/keep-newest.ts';
import { QueueLooks } from '../store/connection/queue-looks.ts';
import type { Leased, LeaseSince } from '../store/webhooks/deliveries.ts';
import { type EndpointKey, endpointName } from '../store/webhooks/turns.ts';

/** Endpoints whose looks are remembered; of one that is forgotten, all that waits is looked for. */
const REMEMBERED_MAX = 10_000;

/** The looks of a dispatcher, one after the other. */
export class DeliveryLooks {
  readonly #turns = looks();
  readonly #endpoints = new Map<string, QueueLooks<number>>();

  /** Begins a look. @returns since when that which it finds has been due. */
  begin(): LeaseSince {
    return {
      turnsMs: this.#turns.begin(),
      ofEndpoint: (endpoint) => this.#of(endpoint).begin(),
    };
  }

  /**
   * Ends a look that succeeded, which was taken at this time of the process clock. An endpoint that got nothing, or only what somebody asked
   * for, may have had no room, so nobody looked at what waits for it: its look does not count.
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
