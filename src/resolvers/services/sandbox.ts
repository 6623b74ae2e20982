/** Additional abilities of a sandbox: actions of the outside world on demand, and its clock. */
import type { Tx } from '../../store/connection/database.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { AtomicWork, NewProcess } from './advance.ts';

/** The catalogue of scenarios: the effect of each, in one sentence. */
export const SCENARIO_DOCS = {
  pay: 'The customer pays the price now.',
  'pay-late': 'The customer pays the price one second too late; an open session ends before.',
  'pay-over': 'The customer pays 20.00 more than the price, or the amount given.',
  'pay-under':
    'The customer pays 20.00 less than the price (half of it when it is 20.00 or less), or the amount given.',
  'pay-other-payer': 'Somebody else pays the price.',
  'pay-twice': 'The customer pays the price now, and the rail reports the payment twice.',
  'step-up-approve': 'The identity step-up of the customer is approved.',
  'step-up-deny': 'The identity step-up of the customer is denied.',
  release: 'Compliance review releases the transaction.',
  'hold-reject': 'Compliance review rejects the transaction.',
  'pix-return': 'The bank of the payee returns the payout, or the amount given of it.',
  deposit: 'The exact amount is deposited, and confirmed 15 seconds later.',
  'deposit-confirm': 'The network confirms the deposit now.',
  'deposit-reorg': 'The network drops the deposit.',
  'deposit-wrong':
    'One whole unit less than the exact amount is deposited (half of it when it is one unit or less), or the amount given, and confirmed at once.',
  'dispute-open': 'The payer opens a dispute (MED) about all of the payment, or the amount given.',
  'dispute-accept': 'The dispute is accepted.',
  'dispute-reject': 'The dispute is rejected.',
  expire: 'The session ends now.',
  'step-up-require': 'The next check of the customer or the payment requires an identity step-up.',
  hold: 'Compliance screening holds the transaction.',
  'quote-fail':
    'No price can be given. Works only when the transaction is created, as `sandbox:quote-fail` in its reference.',
  'charge-fail': 'The PIX charge cannot be created.',
  'swap-fail': 'The conversion fails.',
  'pix-out-reject': 'The payout by PIX is rejected.',
  'delivery-fail': 'The on-chain transfer is broadcast and then fails.',
  'broadcast-fail': 'The on-chain transfer fails before it is broadcast.',
  'refund-fail': 'The return of the payment, or a refund of it, fails for good.',
  'excess-fail': 'The return of the amount beyond the price fails for good.',
  'identity-review': 'The identity check sends the customer to manual review.',
  'identity-irregular': 'The identity check finds the document irregular.',
} as const;

/** Name of a scenario. */
export type ScenarioName = keyof typeof SCENARIO_DOCS;

/** Every name, in the order of the catalogue. */
export const SCENARIO_NAMES = Object.keys(SCENARIO_DOCS) as readonly ScenarioName[];

/** A scenario of the catalogue. */
export interface Scenario {
  readonly name: ScenarioName;
  /** The effect, in one sentence. */
  readonly doc: string;
}

/** Scenarios that fit a transaction: immediate ones, and planned ones that happen when it reaches their step. */
export interface PossibleScenarios {
  readonly now: readonly ScenarioName[];
  readonly later: readonly ScenarioName[];
}

/** Options of playing a scenario. */
export interface ScenarioOptions {
  /** Decimal text, in the currency of the payment or deposit. */
  readonly amount?: string | undefined;
  /** Whether the transaction was just read; otherwise it is read again. */
  readonly isFresh?: boolean;
  /** Called once the scenario is known to fit, and before anything happens. */
  readonly beforehand?: () => Promise<void>;
}

/** Beginning of a transaction: the first trigger, and the work in the same database transaction. */
export interface Beginning {
  readonly trigger: Trigger<'created' | 'quote_failed'>;
  readonly atomically: AtomicWork;
}

/** The sandbox. */
export interface Sandbox {
  readonly scenarios: readonly Scenario[];
  /**
   * @returns scenarios that its step waits for or can still lead to. Other scenarios that report money can be played as well.
   */
  readonly possible: (row: ProcessRow) => PossibleScenarios;
  /**
   * Plays a scenario on a transaction: immediately, or when the transaction reaches its step.
   *
   * @throws {GatewayError} `STEP_CONFLICT` when it can no longer happen, `INVALID_PARAMETER` for a scenario or amount.
   */
  readonly play: (row: ProcessRow, scenario: string, options: ScenarioOptions) => Promise<ProcessRow>;
  /** @returns the beginning of a new transaction; its reference or notes can name plans: `sandbox:hold,swap-fail`. */
  readonly begin: (create: NewProcess) => Beginning;
  /**
   * Sets the clock ahead by the given milliseconds.
   *
   * @param atomic - called in the same database transaction, with the new time.
   * @returns the new time.
   */
  readonly advanceClock: (byMs: number, atomic?: (tx: Tx, nowMs: number) => Promise<void>) => Promise<number>;
}
