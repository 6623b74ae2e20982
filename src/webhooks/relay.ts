/** The relay: turns what is new in the event log into deliveries. Of many processes one does it at a time. */
import type { Services } from '../resolvers/context.ts';
import { relayStep } from '../store/relay.ts';

/** What a run of the relay found. */
export interface Relayed {
  readonly deliveries: number;
  /** Whether events are there that cannot be taken yet, because a writer before them has not ended. */
  readonly isBehind: boolean;
}

/** Relays all that can be relayed now. */
export async function relayAll({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<Relayed> {
  let deliveries = 0;
  for (;;) {
    const step = await relayStep(database, await clock.nowMs());
    deliveries += step.deliveries;
    if (step.events === 0 || !step.isBehind) return { deliveries, isBehind: step.isBehind };
  }
}
