/** Inputs of a scenario: a transaction, the time, and the functions that change it. */
import { GatewayError } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import { historyConflict, possible } from '../../resolvers/engine/advance-for-caller.ts';
import type { AdvanceRequest } from '../../resolvers/services/advance.ts';
import type { RailEvent, ReportEvent, ReturnedPayoutEvent } from '../../resolvers/services/rail-event.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** Trigger of a transaction, and the work in the same database transaction. */
export type StagedTrigger = Pick<AdvanceRequest, 'trigger' | 'atomically'>;

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
  readonly advance: (step: StagedTrigger) => Promise<ProcessRow>;
  /**
   * Has a rail report an event: it is received like any other.
   *
   * @param insteadOf - later events that it replaces: all that carry at least one of these. With them, a killed
   *   process leaves its event to that later time.
   * @returns the transaction after it, which may not have moved.
   */
  readonly receive: (event: RailEvent, insteadOf?: readonly Partial<RailEvent>[]) => Promise<ProcessRow>;
  /**
   * Has a rail report something that moves the transaction.
   *
   * @param insteadOf - as for `receive`.
   * @returns the transaction after it.
   * @throws {GatewayError} `STEP_CONFLICT` when it does not fit.
   */
  readonly report: (
    event: ReportEvent | ReturnedPayoutEvent,
    insteadOf?: readonly Partial<RailEvent>[],
  ) => Promise<ProcessRow>;
  /** @returns the refusal of the scenario where the transaction stands so. */
  readonly refusal: (row: ProcessRow) => GatewayError;
  /** Has it told at a moment of the sandbox clock. */
  readonly receiveLater: (event: RailEvent, atMs: number) => Promise<void>;
}

/** A scenario that tells something. */
export interface Playable {
  readonly name: ScenarioName;
  /** Its first trigger: where that does not fit, the scenario computes nothing. */
  readonly on: TriggerName;
  /** The scenario moves money, which comes whatever the transaction waits for; condition of its arrival. */
  readonly comesTo?: (row: ProcessRow) => boolean;
  /** Condition on the subject besides the step; none by default. */
  readonly isAbout?: (row: ProcessRow) => boolean;
  /** Kind of the amount that the scenario accepts; none by default. */
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
