/** Lists and sums the transactions of several families by filters that `/v2` does not have. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import { isDecimal, isMore } from '../../base/money/money.ts';
import {
  COUNT_MAX,
  findNthMerged,
  listMerged,
  type MergedFilter,
  type MergedPage,
  type StepFilter,
  type SumRow,
  sumMerged,
} from '../../store/engine/merged-lists.ts';
import { filtersOf, filtersWhere } from '../../store/engine/transaction-filters.ts';
import type { ListSlice } from '../../store/engine/transactions.ts';
import type { Family } from '../../templates/define.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { openSteps } from '../../templates/open-steps.ts';
import type { Registry } from '../../templates/registry.ts';
import { currenciesKnown } from '../checks/check-filter.ts';
import { AMOUNT_LENGTH_MAX, LISTED_MAX } from '../checks/lengths.ts';
import { type Context, requireScope } from '../services/context.ts';
import { isStepWait, ownApprovals, stepsForCaller, stepsWaiting, TROUBLES } from './awaiting.ts';
import { LISTED, type MergedFilterInput } from './filter-input.ts';
import { badCursor, checkFilter } from './list-transactions.ts';

/** Outcome of every step that can continue (`step_outcome`). */
const OPEN = 'OPEN';
const NOTHING: MergedPage = {
  total: 0n,
  isExact: true,
  hasNewer: false,
  hasOlder: false,
  cutAt: null,
  rows: [],
};

const LISTS = LISTED.flatMap(filtersOf);
/** Filters that no list of `/v2` has. */
const WIDE = filtersWhere(({ kind, parameters }) => kind !== 'families' && !parameters);

/** @returns whether the filters are those of one list of `/v2`, which is read by positions and UTC days alone. */
export function isPlain(input: MergedFilterInput): boolean {
  const isInUtc = (input.zone ?? 'UTC') === 'UTC' || !(input.dateFrom || input.dateTo);
  return isInUtc && input.families?.values.length === 1 && WIDE.every((name) => !input[name]);
}

/**
 * Reads a page of several lists as one, newest first, from one snapshot (C-10, C-11, C-14).
 *
 * @throws {GatewayError} `INVALID_PARAMETER`, naming every bad value.
 */
export async function filterTransactions(
  context: Context,
  input: MergedFilterInput,
  slice: ListSlice,
  options: { counted: boolean },
): Promise<MergedPage> {
  const filter = await checkMerged(context, input);
  if (!filter) return NOTHING;
  const found = await listMerged(context.database, context.caller.accountId, filter, slice, options);
  if (!found) throw badCursor(slice);
  return found;
}

/**
 * @returns `end2end` of the record with a number, counted from 1, newest first; of the oldest if there are fewer.
 * @throws as above, and where too many would have to be looked at.
 */
export async function findNth(
  context: Context,
  input: MergedFilterInput,
  number: number,
): Promise<string | undefined> {
  const filter = await checkMerged(context, input);
  if (!filter) return undefined;
  const { end2end, isReached } = await findNthMerged(
    context.database,
    context.caller.accountId,
    filter,
    number,
  );
  if (!isReached) throw invalidParameters([{ parameter: 'offset', message: TOO_FAR }]);
  return end2end ?? undefined;
}

const TOO_FAR = `reaches too far with these filters: more than ${COUNT_MAX} would have to be looked at; narrow the days`;

/**
 * @returns incoming and outgoing sums by currency, of all matches; null when too many would have to be read.
 * @throws as above.
 */
export async function sumTransactions(
  context: Context,
  input: MergedFilterInput,
): Promise<readonly SumRow[] | null> {
  const filter = await checkMerged(context, input);
  if (!filter) return [];
  return (await sumMerged(context.database, context.caller.accountId, filter)) ?? null;
}

/** @returns the filter; undefined where nothing can match. */
async function checkMerged(context: Context, input: MergedFilterInput): Promise<MergedFilter | undefined> {
  requireScope(context, 'read');
  const { registry } = context;
  const violations = new Violations();
  for (const each of LISTS.map((name) => input[name])) {
    if (each?.values.length === 0)
      violations.add({ parameter: each.name, message: 'must name at least one' });
    if (each) violations.atMost(each.name, each.values, LISTED_MAX, 'names');
  }
  const plain = await checkFilter(context, input, violations);
  const currency = await currenciesKnown(context, violations, input.currency);
  const amounts = checkAmounts(input, violations);
  checkStep(registry, input, violations);
  violations.refuse();
  const families = familiesOf(registry, input);
  const steps = await stepsOf(context, families, input);
  if (families.length === 0 || (steps?.steps.length === 0 && !steps.isUnlisted)) return undefined;
  return {
    ...plain,
    ...amounts,
    ...(input.zone && { zone: input.zone }),
    families,
    ...(currency && { currency }),
    ...(input.templates && { templates: input.templates.values }),
    ...(steps && { steps }),
    ...(input.waitsFor && !isStepWait(input.waitsFor) && { trouble: TROUBLES[input.waitsFor] }),
    ...(input.awaitingMe && { approvals: await ownApprovals(context) }),
  };
}

function familiesOf(registry: Registry, { families, direction }: MergedFilterInput): readonly Family[] {
  const all = families?.values ?? registry.templates.map(({ family }) => family);
  const fits = (family: Family) =>
    direction === undefined || (FAMILY_TRAITS[family].flow === 'in') === (direction === 'in');
  return [...new Set(all)].filter(fits);
}

function checkAmounts({ amountMin, amountMax }: MergedFilterInput, violations: Violations) {
  for (const bound of [amountMin, amountMax])
    if (bound && (bound.value.length > AMOUNT_LENGTH_MAX || !isDecimal(bound.value)))
      violations.add({ parameter: bound.name, message: 'must be a decimal number, such as 12.50' });
  if (amountMin && amountMax && isMore(amountMin.value, amountMax.value))
    violations.add({ parameter: amountMin.name, message: `must not be more than ${amountMax.name}` });
  return {
    ...(amountMin && { amountMin: amountMin.value }),
    ...(amountMax && { amountMax: amountMax.value }),
  };
}

/** An unknown step is refused as a misspelling, which an empty answer would hide. */
function checkStep(registry: Registry, input: MergedFilterInput, violations: Violations): void {
  const steps = registry.templates.flatMap((template) => template.steps);
  for (const part of filtersOf('step')) {
    const bound = input[part];
    if (!bound || violations.text(bound) === undefined) continue;
    if (!steps.some((step) => step[part] === bound.value))
      violations.add({ parameter: bound.name, message: `must be a ${part} of the catalogue of steps` });
  }
}

async function stepsOf(
  context: Context,
  families: readonly Family[],
  { statusCodes, component, state, awaitingMe, waitsFor }: MergedFilterInput,
): Promise<StepFilter | undefined> {
  const waiting = waitsFor && isStepWait(waitsFor) ? stepsWaiting(context.registry, waitsFor) : undefined;
  if (!statusCodes && !component && !state && !awaitingMe && !waiting) return undefined;
  const awaiting = awaitingMe ? await stepsForCaller(context) : undefined;
  const known = context.registry.templates
    .filter(({ family }) => families.includes(family))
    .flatMap((template) => template.steps)
    .map((step) => ({ ...step, name: `${step.component}/${step.state}` }));
  const wanted = known.filter(
    (step) =>
      (!statusCodes || statusCodes.values.includes(step.statusCode)) &&
      (!component || step.component === component.value) &&
      (!state || step.state === state.value) &&
      (!awaiting || awaiting.includes(step.name)) &&
      (!waiting || waiting.includes(step.name)),
  );
  // A step at which some template can continue is among the open ones, whatever its status is called.
  const open = openSteps(context.registry);
  const outcomes = [
    ...new Set([OPEN, ...wanted.filter(({ name }) => !open.has(name)).map(({ statusCode }) => statusCode)]),
  ];
  const names = new Set(wanted.map(({ name }) => name));
  const isUnlisted = statusCodes?.values.includes('UNKNOWN') && !component && !state && !awaiting && !waiting;
  if (!isUnlisted) return { outcomes, steps: [...names] };
  const others = known.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  return { outcomes, steps: [...new Set(others)], isUnlisted };
}
