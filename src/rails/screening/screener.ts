/** One screener of a chain: local lists, or a provider. */
import type { Check } from '../../resolvers/services/rail-part.ts';
import type {
  ScreenerName,
  ScreeningList,
  ScreeningMatch,
  ScreeningSubject,
} from '../../resolvers/services/rails.ts';

/** A screener. */
export interface Screener {
  /** @throws {ScreenerUnavailable} */
  readonly match: (subjects: readonly ScreeningSubject[]) => Promise<readonly ScreeningMatch[]>;
  /** Lists with their versions, or the provider. */
  readonly names: () => Promise<readonly ScreenerName[]>;
  readonly checks: () => Promise<readonly Check[]>;
  /** Undefined for a provider. */
  readonly lists?: () => Promise<readonly ScreeningList[]>;
}
