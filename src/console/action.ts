/** Performs the action of a form: its fields become the variables of one published mutation. */

import { type GatewayError, invalidParameters, notFound } from '../base/errors/errors.ts';
import { typedCurrency } from '../base/money/currency.ts';
import { isDecimal, plainAmount } from '../base/money/money.ts';
import { CONSOLE_PATH, consolePathOf } from '../base/pages/console-url.ts';
import { parseInstant } from '../base/time/instant.ts';
import { readBrl } from '../ui/figures.ts';
import type { Language } from '../ui/language.ts';
import { pathTo } from './context.ts';
import { resultOf, type Variables } from './execute.ts';
import { OPERATIONS, type Operation, type Variable } from './operations.ts';
import { translatorIn, type Word } from './words.ts';

/** Field of a form that names the account in which it was shown. */
export const ACCOUNT_FIELD = 'shownIn';

/** Field of a form that names a variable whose setting is removed; one field per variable. */
export const CLEARED_FIELD = 'cleared';

/** Prefix of a hidden field with the initial value of another field: an unchanged field is not sent on. */
export const SHOWN_PREFIX = 'shown.';

/** Path to which the form of an action is sent. */
export function actionPath({ name }: Pick<Operation, 'name'>): string {
  return `${CONSOLE_PATH}/acts/${name}`;
}

/** @returns the mutation of a form. @throws {GatewayError} `NOT_FOUND` for an unknown one. */
export function actionOperation(name: string): Operation {
  const operation = OPERATIONS.get(name);
  if (!operation?.isMutation) throw notFound();
  return operation;
}

/**
 * The variables of a mutation: each field of the form, by the type of the variable with its name. An empty field is
 * left out, and so is one that still has the value it was filled with; a cleared one is null.
 *
 * @throws {GatewayError} `INVALID_PARAMETER` for required fields that are empty, and for fields of another form than
 *   their type.
 */
export function variablesOf({ variables }: Operation, form: URLSearchParams, language: Language): Variables {
  refuseMissing(
    variables
      .filter(({ type, isRequired, isList }) => isRequired && !isList && type !== 'Boolean' && !CHOICES[type])
      .map(({ name }) => name),
    form,
    language,
  );
  const cleared = new Set(form.getAll(CLEARED_FIELD));
  return Object.fromEntries(
    variables.flatMap((variable) => {
      const shown = form.get(SHOWN_PREFIX + variable.name);
      const isEmptied = shown && form.get(variable.name)?.trim() === '';
      if (cleared.has(variable.name) || isEmptied) return [[variable.name, null]];
      if (isUnchanged(form, variable.name)) return [];
      const choice = CHOICES[variable.type];
      if (choice) return [[variable.name, choiceOf(choice, form, language)]];
      const values = form.getAll(variable.name).map((each) => each.trim());
      const filled = values.filter((each) => each !== '');
      if (variable.isList) return filled.length > 0 || variable.isRequired ? [[variable.name, filled]] : [];
      if (variable.type === 'Boolean' && variable.isRequired)
        return [[variable.name, filled[0] === 'true' || filled[0] === 'on']];
      return filled[0] === undefined ? [] : [[variable.name, read(variable, filled[0], language)]];
    }),
  );
}

function isUnchanged(form: URLSearchParams, name: string): boolean {
  const shown = form.get(SHOWN_PREFIX + name);
  return shown !== null && form.get(name)?.trim() === shown;
}

/** @returns whether a form was sent with its initial values, so that there is nothing to do. */
export function isSentUnchanged(form: URLSearchParams): boolean {
  const names = [...form.keys()].flatMap((name) =>
    name.startsWith(SHOWN_PREFIX) ? [name.slice(SHOWN_PREFIX.length)] : [],
  );
  return names.length > 0 && names.every((name) => isUnchanged(form, name));
}

/** Value of `done` in an address: the form was sent as it was, so there was nothing to do. */
export const UNCHANGED = 'unchanged';

/** @returns the address after a form that was sent unchanged. */
export function pathUnchanged(back: string | null): string {
  const { pathname, search } = urlDone(back, UNCHANGED);
  return pathname + search;
}

/** A member of a `@oneOf` input as its form fields: a value, or an object of several values. */
type Choice = Readonly<Record<string, Variable['type'] | Readonly<Record<string, Variable['type']>>>>;

/** `@oneOf` inputs of the published schema that forms fill in, with the types of their members. */
const CHOICES: Readonly<Record<string, Choice>> = {
  OrderAmountInput: { brl: 'Decimal', quoteId: 'String' },
  WhitelistTargetInput: {
    wallet: { network: 'String', address: 'String' },
    pixKey: { type: 'PixKeyType', key: 'String' },
  },
};

/**
 * @returns the one member that the form fills in. @throws {GatewayError} `INVALID_PARAMETER` for no member, several members,
 * and an incomplete member.
 */
function choiceOf(choice: Choice, form: URLSearchParams, language: Language): Variables {
  const fieldsOf = (member: string) => {
    const type = choice[member] as Choice[string];
    return Object.entries(typeof type === 'string' ? { [member]: type } : type);
  };
  const isFilled = (name: string) => Boolean(form.get(name)?.trim());
  const members = Object.keys(choice);
  const [first, second] = members.filter((each) => fieldsOf(each).some(([name]) => isFilled(name)));
  const chosen = first ?? (members[0] as string);
  const fields = fieldsOf(chosen);
  refuseMissing(
    fields.map(([name]) => name),
    form,
    language,
  );
  const extra = second === undefined ? undefined : fieldsOf(second).find(([name]) => isFilled(name))?.[0];
  if (extra !== undefined) throw wrong(extra, 'chooseOne', language);
  const values = Object.fromEntries(
    fields.map(([name, type]) => [name, read({ name, type }, form.get(name)?.trim() ?? '', language)]),
  );
  return typeof choice[chosen] === 'string' ? values : { [chosen]: values };
}

/** @throws {GatewayError} `INVALID_PARAMETER` for fields without a value. */
function refuseMissing(names: readonly string[], form: URLSearchParams, language: Language): void {
  const missing = names.filter((name) => !form.get(name)?.trim());
  if (missing.length === 0) return;
  const message = translatorIn(language)('isRequired');
  throw invalidParameters(missing.map((parameter) => ({ parameter, message })));
}

/** One separator and three digits: thousands in one language, a fraction in the other. */
const AMBIGUOUS_AMOUNT = /^[1-9]\d{0,2}[.,]\d{3}$/;
/** Thousands never follow a zero. */
const FRACTION = /^0[.,]\d+$/;
/** A minute in the form of a browser's field: Brasília time, which has had no summer time since 2019. */
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

function read({ name, type }: Pick<Variable, 'name' | 'type'>, text: string, language: Language): unknown {
  if (name === 'currency') return typedCurrency(text);
  if (type === 'Decimal') return decimalOf(name, text, language);
  if (type === 'DateTime') {
    const instant = MINUTE.test(text) ? `${text}:00-03:00` : text;
    if (parseInstant(instant)) return instant;
    throw wrong(name, 'mustBeMoment', language);
  }
  if (type === 'Int') {
    if (/^-?\d{1,9}$/.test(text)) return Number(text);
    throw wrong(name, 'mustBeWhole', language);
  }
  if (type === 'Boolean') return text === 'true' || text === 'on';
  return text;
}

/**
 * @returns the decimal for an amount in the notation of the language. @throws {GatewayError} `INVALID_PARAMETER` for a
 * text that is no number, or is ambiguous.
 */
export function decimalOf(name: string, text: string, language: Language): string {
  const digits = plainAmount(text);
  if (AMBIGUOUS_AMOUNT.test(digits)) throw wrong(name, 'twoWays', language);
  const plain = FRACTION.test(digits) ? digits.replace(',', '.') : readBrl(digits, language);
  if (!isDecimal(plain)) throw wrong(name, 'mustBeNumber', language);
  return plain;
}

function wrong(parameter: string, word: Word, language: Language): GatewayError {
  return invalidParameters([{ parameter, message: translatorIn(language)(word) }]);
}

/**
 * @param back - address of the form, as the form sent it: another site cannot send it, but it must still be a path of
 * the console.
 * @returns the address after an action: of the created record, or back to its form.
 */
export function pathAfter(operation: Operation, data: unknown, back: string | null): string {
  const made = resultOf(operation, data);
  const record = made as { readonly end2end?: string; readonly slug?: string } | null;
  if (record?.end2end !== undefined && operation.field.startsWith('create'))
    return pathTo(`/transactions/${record.end2end}`, { done: operation.name });
  const url = urlDone(back, operation.name);
  if (operation.field === 'createStaticLink' && record?.slug) url.searchParams.set('link', record.slug);
  const outcome = OUTCOMES[operation.field]?.(made as Made | null);
  if (outcome) url.searchParams.set('became', outcome);
  return url.pathname + url.search;
}

const FIRST_OF_TWO = 'FIRST_OF_TWO';
interface Made {
  readonly state?: string;
  readonly awaits?: string | null;
  readonly proposedTo?: string | null;
  readonly proposedPrice?: unknown;
}

/** Outcomes that an action does not have by its name, by mutation: the first of two decisions changes nothing yet. */
const OUTCOMES: Readonly<Record<string, (made: Made | null) => string | null>> = {
  retryRailEvent: String,
  releaseHold: (made) => (made?.awaits === 'DECISION' ? FIRST_OF_TWO : null),
  unfreezeCase: (made) => (made?.state === 'FROZEN' ? FIRST_OF_TWO : null),
  assignSuspense: (made) => (made?.proposedTo ? FIRST_OF_TWO : null),
  updateTemplateSettings: (made) => (made?.proposedPrice ? 'PRICE_PROPOSED' : null),
};

/** Address of a form with what was done by it. */
function urlDone(back: string | null, done: string): URL {
  const url = new URL(consolePathOf(back), 'http://console.invalid');
  url.searchParams.delete('became');
  url.searchParams.set('done', done);
  return url;
}
