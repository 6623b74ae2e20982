/** A request on its way through a batch of the engine. */
import type { ProcessRow } from '../../templates/facts.ts';
import type { PlannedStep } from '../../templates/machine.ts';
import type { AdvanceRequest, AdvanceResult } from '../services/advance.ts';

/** What became of a request in its batch. `PRICE_NEEDED`: nothing, it has to come again with a price. */
export interface Outcome {
  readonly code: AdvanceResult['code'] | 'PRICE_NEEDED';
  readonly row: ProcessRow;
}

/** A request with what is planned for it. */
export interface Item {
  readonly request: AdvanceRequest;
  /** The transaction before the batch. */
  readonly before: ProcessRow;
  /** And after it. */
  row: ProcessRow;
  code: Outcome['code'];
  steps: readonly PlannedStep[];
  /** News that acted before, and may act again. */
  isRepeat?: boolean;
}

/** Plans these steps, and no others. */
export function take(item: Item, steps: readonly PlannedStep[]): void {
  item.steps = steps;
  item.row = (steps.at(-1) as PlannedStep).row;
  item.code = 'ADVANCED';
}

/** Plans nothing: the transaction stays as it is; one that was to be made is not. */
export function refuse(item: Item, code: Outcome['code']): void {
  item.steps = [];
  item.code = code;
  if (!('create' in item.request.target)) item.row = item.before;
}
