/** What a sandbox offers besides: the acts of the outside world on demand, and its clock. */
import type { ProcessRow } from '../templates/facts.ts';

/** A scenario of the catalogue. */
export interface Scenario {
  readonly name: string;
  /** One sentence: what happens. */
  readonly doc: string;
}

/** How a scenario is played. */
export interface ScenarioOptions {
  /** Decimal text, in the currency of what is paid or deposited. */
  readonly amount?: string | undefined;
}

/** The sandbox. */
export interface Sandbox {
  readonly scenarios: readonly Scenario[];
  /**
   * Plays a scenario on a transaction: at once, or when the transaction gets there.
   *
   * @throws {GatewayError} `STEP_CONFLICT` when it cannot happen any more, `INVALID_PARAMETER` for a scenario or amount.
   */
  readonly play: (row: ProcessRow, scenario: string, options: ScenarioOptions) => Promise<ProcessRow>;
  /** Plans made before a transaction exists: `sandbox:hold,swap-fail` in its reference or notes. */
  readonly plansIn: (text: string | null) => readonly string[];
  /** Sets the clock ahead by so many milliseconds. @returns its time then. */
  readonly advanceClock: (byMs: number) => Promise<number>;
}
