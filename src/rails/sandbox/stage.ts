/** What a scenario has at hand: a transaction as it stands, the moment, and the ways to act on it. */
import { GatewayError } from '../../base/errors.ts';
import type { Telling } from '../../resolvers/engine/run-jobs.ts';
import type { AdvanceRequest } from '../../resolvers/services/advance.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { stepNameOf } from '../../templates/step-name.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** What is told, and what is done in the same database transaction. */
export type Act = Telling & Pick<AdvanceRequest, 'alongside'>;

/** The transaction that a scenario is played on. */
export interface Stage {
  readonly row: ProcessRow;
  /** On the clock of the sandbox. */
  readonly nowMs: number;
  /** Decimal text that fits its currency and is above zero. */
  readonly amount: string | undefined;
  /**
   * Tells the transaction something new.
   *
   * @returns the transaction after it.
   * @throws {GatewayError} `STEP_CONFLICT` when it does not fit.
   */
  readonly tell: (act: Act) => Promise<ProcessRow>;
  /** Tells what may have been told before: then nothing happens. */
  readonly repeat: (act: Act) => Promise<ProcessRow>;
}

/** A scenario that tells something. */
export interface Playable {
  readonly name: ScenarioName;
  /** What it tells first: where that does not fit, nothing is worked out. */
  readonly on: TriggerName;
  /** What an amount that is given with it is an amount of; it takes none when not set. */
  readonly amountOf?: 'payment' | 'deposit';
  readonly play: (stage: Stage) => Promise<ProcessRow>;
}

/** @returns the error for a scenario that does not fit where the transaction stands. */
export function stepConflict(scenario: string, row: ProcessRow): GatewayError {
  return new GatewayError(
    'STEP_CONFLICT',
    `the scenario ${scenario} is not possible at step ${stepNameOf(row)}`,
  );
}
