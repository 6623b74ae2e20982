/** Dependencies of a network's rail. */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { RateSource } from '../../resolvers/services/rails.ts';
import type { Signer } from './signer.ts';

/** The network's name in the catalogue, its signer, and rates for quoted fees. */
export interface NetworkTools extends RailTools {
  readonly network: string;
  readonly signer: Signer;
  readonly rates?: Pick<RateSource, 'observe'> | undefined;
}
