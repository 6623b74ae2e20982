/** Parts that make the rail of a network. */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { RateSource } from '../../resolvers/services/rails.ts';
import type { Signer } from './signer.ts';

/** Tools of a network: its name in the catalogue, who signs, and rates to say fees by. */
export interface NetworkTools extends RailTools {
  readonly network: string;
  readonly signer: Signer;
  readonly rates?: Pick<RateSource, 'observe'> | undefined;
}
