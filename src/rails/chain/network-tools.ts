/** What the rail of a network is made with. */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { Signer } from './signer.ts';

/** Tools of a network: its name in the catalogue, and who signs. */
export interface NetworkTools extends RailTools {
  readonly network: string;
  readonly signer: Signer;
}
