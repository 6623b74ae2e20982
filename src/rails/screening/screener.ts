/** One screener of a chain: lists of this machine, or a provider. */
import type { RailCheck } from '../../resolvers/services/rail-part.ts';
import type { ScreeningList, ScreeningMatch, ScreeningSubject } from '../../resolvers/services/rails.ts';

/** A screener. */
export interface Screener {
  /** @throws {ScreenerAway} */
  readonly match: (subjects: readonly ScreeningSubject[]) => Promise<readonly ScreeningMatch[]>;
  readonly checks: () => Promise<readonly RailCheck[]>;
  /** Absent for a provider. */
  readonly lists?: () => Promise<readonly ScreeningList[]>;
}
