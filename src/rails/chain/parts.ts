/** Shared parts of a network's rail. */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { NetworkKey } from '../../store/rails/chain-network.ts';
import type { NetworkDriver, NetworkFacts } from './driver.ts';
import type { Signer } from './signer.ts';

/** One network of a mode, with its providers. */
export interface NetworkParts extends RailTools {
  readonly key: NetworkKey;
  readonly facts: NetworkFacts;
  /** Providers in order of preference. */
  readonly providers: readonly NetworkDriver[];
  readonly signer: Signer;
}
