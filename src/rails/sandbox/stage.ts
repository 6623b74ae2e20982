/** What a scenario has at hand: a transaction as it stands, the moment, and the ways to act on it. */
import { GatewayError } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import { historyConflict, possible } from '../../resolvers/engine/advance-for-caller.ts';
import type { AdvanceRequest } from '../../resolvers/services/advance.ts';
import type { News, ReportNews, ReturnedPayoutNews } from '../../resolvers/services/news.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** What a transaction is told, and what is done in the same database transaction. */
export type Act = Pick<AdvanceRequest, 'trigger' | 'atomically'>;

/** The transaction that a scenario is played on. */
export interface Stage {
  readonly row: ProcessRow;
  /** On the clock of the sandbox. */
  readonly nowMs: number;
  /** Decimal text that fits its currency and is above zero. */
  readonly amount: string | undefined;
  /**
   * Tells the transaction what the operator or the clock decides.
   *
   * @returns the transaction after it.
   * @throws {GatewayError} `STEP_CONFLICT` when it does not fit.
   */
  readonly tell: (act: Act) => Promise<ProcessRow>;
  /**
   * Has a rail tell something: it is received like any other news.
   *
   * @param insteadOf - what the rail was to tell later, and does not: all news that carries at least one of these. Where there
   *   is some, a process that dies meanwhile leaves what it tells to that later moment.
   * @returns the transaction after it, which may not have moved.
   */
  readonly receive: (news: News, insteadOf?: readonly Partial<News>[]) => Promise<ProcessRow>;
  /**
   * Has a rail report something that moves the transaction.
   *
   * @param insteadOf - as for `receive`.
   * @returns the transaction after it.
   * @throws {GatewayError} `STEP_CONFLICT` when it does not fit.
   */
  readonly report: (
    news: ReportNews | ReturnedPayoutNews,
    insteadOf?: readonly Partial<News>[],
  ) => Promise<ProcessRow>;
  /** @returns the refusal of the scenario where the transaction stands so. */
  readonly refusal: (row: ProcessRow) => GatewayError;
  /** Has it told at a moment of the sandbox clock. */
  readonly receiveLater: (news: News, atMs: number) => Promise<void>;
}

/** A scenario that tells something. */
export interface Playable {
  readonly name: ScenarioName;
  /** What it tells first: where that does not fit, nothing is worked out. */
  readonly on: TriggerName;
  /** It is news of money, which comes whatever the transaction waits for; what has to be there for it to come. */
  readonly comesTo?: (row: ProcessRow) => boolean;
  /** What it is about, besides the step; anything when not set. */
  readonly isAbout?: (row: ProcessRow) => boolean;
  /** What an amount that is given with it is an amount of; it takes none when not set. */
  readonly amountOf?: 'payment' | 'deposit';
  readonly play: (stage: Stage) => Promise<ProcessRow>;
}

/** @returns the error for a scenario that does not fit where the transaction stands; its message names those that fit. */
export function stepConflict(scenario: string, row: ProcessRow, fitting: readonly string[]): GatewayError {
  if (row.process === null) return historyConflict(row);
  return new GatewayError(
    'STEP_CONFLICT',
    `the scenario ${scenario} is not possible at step ${stepNameOf(row)}; ${possible('scenarios possible now', fitting)}`,
  );
}
