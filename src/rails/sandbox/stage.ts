/** Input of a scenario: a transaction, the time, and functions that change the transaction. */
import { GatewayError } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import { historyConflict, possible } from '../../resolvers/engine/advance-for-caller.ts';
import type { AdvanceRequest } from '../../resolvers/services/advance.ts';
import type { RailEvent, ReportEvent, ReturnedPayoutEvent } from '../../resolvers/services/rail-event.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** Trigger of a transaction, and work for the same database transaction. */
export type StagedTrigger = Pick<AdvanceRequest, 'trigger' | 'atomically'>;

/** The transaction that a scenario is played on. */
export interface Stage {
  readonly row: ProcessRow;
  /** Time of the sandbox clock, ms since 1970. */
  readonly nowMs: number;
  /** Positive decimal amount that fits the decimals of its currency. */
  readonly amount: string | undefined;
  /**
   * Applies a decision of the operator or of the clock to the transaction.
   * @returns the transaction afterwards.
   * @throws {GatewayError} `STEP_CONFLICT` if the decision does not fit the present step.
   */
  readonly advance: (step: StagedTrigger) => Promise<ProcessRow>;
  /**
   * Makes a rail report an event, which is received like any other.
   * @param insteadOf - selects later events to replace: all that contain the members of at least one of these. If the
   *   process is killed, the event still occurs at their time.
   * @returns the transaction afterwards, which may not have moved.
   */
  readonly receive: (event: RailEvent, insteadOf?: readonly Partial<RailEvent>[]) => Promise<ProcessRow>;
  /**
   * Makes a rail report an event that moves the transaction.
   * @param insteadOf - as for `receive`.
   * @returns the transaction afterwards.
   * @throws {GatewayError} `STEP_CONFLICT` if the event does not fit the present step.
   */
  readonly report: (
    event: ReportEvent | ReturnedPayoutEvent,
    insteadOf?: readonly Partial<RailEvent>[],
  ) => Promise<ProcessRow>;
  /** @returns the error for a scenario that is impossible at the transaction's present step. */
  readonly refusal: (row: ProcessRow) => GatewayError;
  /** Schedules the report of an event at a time of the sandbox clock. */
  readonly receiveLater: (event: RailEvent, atMs: number) => Promise<void>;
}

/** A scenario that reports an event. */
export interface Playable {
  readonly name: ScenarioName;
  /** The scenario's first trigger, which must be possible before anything is computed. */
  readonly on: TriggerName;
  /** For scenarios that move money, which arrives at any step: condition of its arrival. */
  readonly comesTo?: (row: ProcessRow) => boolean;
  /** Condition on the transaction in addition to its step; none by default. */
  readonly isAbout?: (row: ProcessRow) => boolean;
  /** Kind of the amount that the scenario accepts; none by default. */
  readonly amountOf?: 'payment' | 'deposit';
  readonly play: (stage: Stage) => Promise<ProcessRow>;
}

/** @returns the error for a scenario that is impossible at the present step; the message names the possible ones. */
export function stepConflict(scenario: string, row: ProcessRow, fitting: readonly string[]): GatewayError {
  if (row.process === null) return historyConflict(row);
  return new GatewayError(
    'STEP_CONFLICT',
    `the scenario ${scenario} is not possible at step ${stepNameOf(row)}; ${possible('scenarios possible now', fitting)}`,
  );
}
