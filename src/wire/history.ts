/** Reads the published form (contract C-70), as the envelope writer and the statement writer produce it. */
import {
  CURRENCIES,
  type Currency,
  currencyOf,
  currencyOfHistory,
  NETWORKS,
} from '../base/money/currency.ts';
import { expandNumber, toMinor } from '../base/money/money.ts';
import { type ExactJson, isExactObject, NumberToken } from '../base/text/exact-json.ts';
import { EMPTY_LABEL, type Label } from '../base/text/label.ts';
import { parseInstant } from '../base/time/instant.ts';
import type { Attribute, Template } from '../templates/define.ts';
import { type Facts, NO_FACTS, type PublishedRow } from '../templates/facts.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';
import { canonicalReader } from './envelope.ts';

/** Error of a history line that cannot be imported; the message is the reason. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/** A transaction of history: a row without the ids that the account assigns. */
export type HistoryTransaction = PublishedRow;

/** A statement entry of history; amounts in minor units of the currency. */
export interface HistoryEntry {
  readonly id: bigint;
  readonly date: Date;
  readonly account: {
    readonly id: bigint;
    readonly name: string;
    readonly code: string;
    readonly currency: Currency;
    readonly prettyName: string;
    readonly subAccount: number;
  };
  readonly delta: bigint;
  readonly balanceBefore: bigint;
  readonly balanceAfter: bigint;
  /** `end2end` of the transaction, null for an adjustment. */
  readonly end2end: string | null;
}

/** Maximum length of a stored number as text. */
const DIGITS_MAX = 200;
/** Maximum number of digits of an amount in minor units in the ledger. */
const MINOR_DIGITS = 78;
const MINOR_MAX = 10n ** BigInt(MINOR_DIGITS) - 1n;

type Json = { readonly [name: string]: ExactJson };

const ENVELOPE = [
  'end2end',
  'component',
  'state',
  'template',
  'created_at',
  'updated_at',
  'status',
  'substatus',
  'message',
  'error_message',
  'attributes',
];
const ENTRY = ['id', 'date', 'account', 'debit', 'credit', 'previous_balance', 'balance', 'transaction'];
const ACCOUNT = ['id', 'name', 'code', 'currency', 'currency_pretty_name'];
/** Networks by their common names. */
const NETWORK_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries(NETWORKS).flatMap(([name, { aliases }]) => aliases.map((alias) => [alias, name] as const)),
);

/**
 * @param body - a single-record body, parsed without loss of digits.
 * @throws {HistoryError} if the body is malformed or its template unknown.
 */
export function readTransaction(registry: Registry, body: Json): HistoryTransaction {
  checkMembers('transaction', body, ENVELOPE);
  const template = registry.find(textOf(body, 'template'));
  if (!template) throw new HistoryError(`unknown template ${JSON.stringify(body.template)}`);
  const attributes = body.attributes;
  if (!isExactObject(attributes)) throw new HistoryError('attributes: expected an object');
  const required = template.attributes
    .filter((attribute) => !attribute.optional)
    .map((attribute) => attribute.name);
  checkMembers(
    'attributes',
    attributes,
    required,
    template.attributes.map((attribute) => attribute.name),
  );

  const error = labelOf(body, 'error_message');
  const row: HistoryTransaction = {
    ...factsOf(template, attributes),
    template: template.name,
    end2end: identifierOf(body, 'end2end'),
    component: identifierOf(body, 'component'),
    state: identifierOf(body, 'state'),
    createdAt: instantOf(body, 'created_at').toISOString(),
    updatedAt: instantOf(body, 'updated_at').toISOString(),
    errorEn: error.en,
    errorPt: error.pt,
    asPublished: null,
  };
  return { ...row, asPublished: publishedDifferently(registry, template, row, body, attributes) };
}

/**
 * @param body - an entry of `service.md` 2.8, parsed without loss of digits, whose `transaction` is an `end2end`.
 * @throws {HistoryError} if the entry is malformed or its balance does not follow from its movement.
 */
export function readEntry(body: Json): HistoryEntry {
  checkMembers('statement_entry', body, ENTRY);
  const account = body.account;
  if (!isExactObject(account)) throw new HistoryError('account: expected an object');
  checkMembers('account', account, ACCOUNT);
  const code = identifierOf(account, 'code');
  const subAccount = Number(/(?:^|\.)([1-4])$/.exec(code)?.[1] ?? 0);
  if (!/^\d+(\.\d+)+$/.test(code) || subAccount === 0) {
    throw new HistoryError('account.code: expected dot-separated numbers of which the last is 1 to 4');
  }
  const currency = currencyOfHistory(textOf(account, 'currency'));
  if (!currency) throw new HistoryError('account.currency: expected BRL or <ASSET>_<NETWORK>');
  const [debit, credit, before, after] = ['debit', 'credit', 'previous_balance', 'balance'].map((name) =>
    minorOf(body, name, currency),
  ) as [bigint, bigint, bigint, bigint];
  if (debit < 0n || credit < 0n || (debit === 0n) === (credit === 0n)) {
    throw new HistoryError('debit, credit: expected one of them above zero and the other zero');
  }
  if (before + credit - debit !== after)
    throw new HistoryError('does not chain: previous_balance + credit - debit differs from balance');
  if (before < 0n || after < 0n)
    throw new HistoryError('previous_balance, balance: expected no balance below zero');
  const end2end = body.transaction === null ? null : identifierOf(body, 'transaction');
  return {
    id: idOf(body, 'id'),
    date: instantOf(body, 'date'),
    account: {
      id: idOf(account, 'id'),
      name: textOf(account, 'name'),
      code,
      currency,
      prettyName: textOf(account, 'currency_pretty_name'),
      subAccount,
    },
    delta: credit - debit,
    balanceBefore: before,
    balanceAfter: after,
    end2end,
  };
}

type MutableFacts = { -readonly [Name in keyof Facts]: Facts[Name] };

function factsOf(template: Template, attributes: Json): Facts {
  const facts: MutableFacts = { ...NO_FACTS, template: template.name };
  for (const attribute of template.attributes) {
    const { fact, kind } = attribute;
    if (fact === 'explorerUrl' || fact === 'amountDisplay' || fact === 'template') continue;
    if (kind === 'currency_name' || kind === 'currency_asset' || kind === 'currency_code') continue;
    facts[fact] = attributeValue(attribute, attributes);
  }
  facts.sourceCurrency = currencyNamed(template, 'sourceCurrency', attributes);
  facts.targetCurrency = currencyNamed(template, 'targetCurrency', attributes);
  // A withdrawal names only one currency, which is source and target.
  const namesSource = template.attributes.some((attribute) => attribute.fact === 'sourceCurrency');
  if (!namesSource) facts.sourceCurrency = facts.targetCurrency;
  return facts;
}

function attributeValue(attribute: Attribute, attributes: Json): string | null {
  const value = attributes[attribute.name];
  if (value === undefined || value === null) return null;
  if (KINDS[attribute.kind].wire !== 'string') {
    return numberOf(attributes, attribute.name, 'attributes.');
  }
  const text = textOf(attributes, attribute.name, 'attributes.');
  if (text === '' && !attribute.optional) return null;
  if (attribute.kind !== 'instant') return text;
  return instantOf(attributes, attribute.name, 'attributes.').toISOString();
}

/**
 * @returns the currency that the texts name. The raw code is the most exact, then the display name, then the asset.
 */
function currencyNamed(
  template: Template,
  fact: 'sourceCurrency' | 'targetCurrency',
  attributes: Json,
): string | null {
  const texts = new Map(
    template.attributes
      .filter((attribute) => attribute.fact === fact)
      .map((attribute) => [attribute.kind, textOf(attributes, attribute.name, 'attributes.')]),
  );
  const raw = texts.get('currency_code');
  if (raw && currencyOfHistory(raw)) return raw;
  const meant = currencySpelled(texts.get('currency_name') ?? '');
  if (meant) return meant.code;
  const ofAsset = CURRENCIES.filter((currency) => currency.asset === texts.get('currency_asset'));
  return ofAsset.length === 1 ? (ofAsset[0] as Currency).code : null;
}

/** Reads `USDT (TRX)`, and older spellings such as `USDT TRC20` or `USDT-ERC20`. */
function currencySpelled(text: string): Currency | undefined {
  const [asset = '', network] = text.toUpperCase().split(/[^A-Z0-9]+/);
  if (!network) return currencyOf(asset);
  return currencyOf(`${asset}_${NETWORK_ALIASES.get(network) ?? network}`);
}

/** @returns texts and labels of the body that this version would print differently. */
function publishedDifferently(
  registry: Registry,
  template: Template,
  row: HistoryTransaction,
  body: Json,
  attributes: Json,
): Record<string, string> | null {
  const different: Record<string, string> = {};
  const whole = { ...row, accountId: 0n, id: 0n };
  for (const attribute of template.attributes) {
    if (KINDS[attribute.kind].wire !== 'string' || attribute.kind === 'instant') continue;
    if (attribute.optional && attributes[attribute.name] === undefined) continue;
    const theirs = textOf(attributes, attribute.name, 'attributes.');
    if (theirs !== (canonicalReader(attribute)(whole) ?? '')) different[attribute.name] = theirs;
  }
  const step = registry.stepOf(row.template, row.component, row.state);
  for (const name of ['status', 'substatus', 'message'] as const) {
    const theirs = labelOf(body, name);
    if (theirs.en !== step[name].en) different[`${name}.en`] = theirs.en;
    if (theirs.pt !== step[name].pt) different[`${name}.pt`] = theirs.pt;
  }
  return Object.keys(different).length > 0 ? different : null;
}

function checkMembers(
  what: string,
  body: Json,
  required: readonly string[],
  known: readonly string[] = required,
): void {
  const missing = required.find((name) => body[name] === undefined);
  if (missing) throw new HistoryError(`${what}: ${missing} is missing`);
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new HistoryError(`${what}: ${JSON.stringify(unknown)} is an unknown member`);
}

function textOf(body: Json, name: string, path = ''): string {
  const value = body[name] ?? '';
  if (typeof value !== 'string') throw new HistoryError(`${path}${name}: expected a string`);
  if (value.includes('\0') || !value.isWellFormed())
    throw new HistoryError(`${path}${name}: expected well-formed text without NUL`);
  return value;
}

function identifierOf(body: Json, name: string): string {
  const text = textOf(body, name);
  if (text === '' || text.length > 200) throw new HistoryError(`${name}: expected 1 to 200 characters`);
  return text;
}

function instantOf(body: Json, name: string, path = ''): Date {
  const instant = parseInstant(textOf(body, name, path));
  if (!instant || instant.getUTCFullYear() > 9999)
    throw new HistoryError(`${path}${name}: expected a time such as 2026-05-01T12:00:00Z`);
  return instant;
}

function labelOf(body: Json, name: string): Label {
  const value = body[name];
  if (!isExactObject(value)) throw new HistoryError(`${name}: expected {en, pt}`);
  checkMembers(name, value, Object.keys(EMPTY_LABEL));
  return { en: textOf(value, 'en', `${name}.`), pt: textOf(value, 'pt', `${name}.`) };
}

function idOf(body: Json, name: string): bigint {
  const value = body[name];
  if (!(value instanceof NumberToken) || !/^[1-9]\d{0,17}$/.test(value.text)) {
    throw new HistoryError(`${name}: expected an integer above zero`);
  }
  return BigInt(value.text);
}

function numberOf(body: Json, name: string, path = ''): string {
  const value = body[name];
  if (!(value instanceof NumberToken)) throw new HistoryError(`${path}${name}: expected a number`);
  try {
    const text = expandNumber(value.text);
    if (text.length <= DIGITS_MAX) return text;
  } catch {
    // The error below covers this case.
  }
  throw new HistoryError(`${path}${name}: expected a number of at most ${DIGITS_MAX} digits`);
}

function minorOf(body: Json, name: string, currency: Currency): bigint {
  let minor: bigint;
  try {
    minor = toMinor(numberOf(body, name), currency.decimals);
  } catch (error) {
    if (error instanceof HistoryError) throw error;
    throw new HistoryError(
      `${name}: ${(error as Error).message}, and ${currency.code} has ${currency.decimals}`,
    );
  }
  if (minor > MINOR_MAX || minor < -MINOR_MAX)
    throw new HistoryError(`${name}: expected at most ${MINOR_DIGITS} digits`);
  return minor;
}
