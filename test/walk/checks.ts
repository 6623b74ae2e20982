/** What has to hold after a walk: of the transaction, of its lines, and of everything that tells the same twice. */
import { isDeepStrictEqual } from 'node:util';
import { currencyOf } from '../../src/base/currency.ts';
import { fromMinor, multiply, sum, trimDecimal } from '../../src/base/money.ts';
import type { Client } from './client.ts';
import {
  type ExpectedLine,
  type Figures,
  type Label,
  linesOf,
  type PublishedStep,
  TEMPLATES,
} from './published.ts';
import { expectStatus, less, negative, type Walker } from './walker.ts';

/** A statement entry as it is published; numbers are text. */
export interface Entry {
  readonly id: string;
  readonly account: { readonly id: string; readonly code: string; readonly currency: string };
  readonly debit: string;
  readonly credit: string;
  readonly previous_balance: string;
  readonly balance: string;
  // biome-ignore lint/suspicious/noExplicitAny: six shapes
  readonly transaction: any;
}

/** What an account was told to hold, and the newest line of its statement, at a moment. */
export interface Moment {
  readonly balances: ReadonlyMap<string, string>;
  readonly lastLine: bigint;
}

/** Notes what is wrong. */
export type Complain = (what: string) => void;

const SUB_ACCOUNTS = ['', 'available', 'in_transit', 'to_receive', 'blocked'];
const PAGE = 100;

const HISTORY = `query ($end2end: String!) { transaction(end2end: $end2end) {
  template component state status { en pt } substatus { en pt } message { en pt } errorMessage { en pt }
  source { amount currency { code } } target { amount currency { code } }
  ... on CrossrampCheckout { quote fees } ... on Onramp { quote fees } ... on OnrampInstant { quote fees }
  ... on Offramp { quote fees } ... on OfframpInstant { quote fees }
  events { sequence component state occurredAt status { en pt } substatus { en pt } }
  ledgerLines { number debit credit previousBalance balance ledgerAccount { subAccount currency { code } } }
} }`;

interface Money {
  readonly amount: string | null;
  readonly currency: { readonly code: string } | null;
}

/** What GraphQL tells of a transaction. */
export interface History {
  readonly template: string;
  readonly component: string;
  readonly state: string;
  readonly status: Label;
  readonly substatus: Label;
  readonly message: Label;
  readonly errorMessage: Label | null;
  readonly source: Money;
  readonly target: Money;
  /** Exact, where there is one. */
  readonly quote?: string | null;
  readonly fees?: string | null;
  readonly events: readonly {
    readonly sequence: string;
    readonly component: string;
    readonly state: string;
    readonly occurredAt: string;
    readonly status: Label;
    readonly substatus: Label;
  }[];
  readonly ledgerLines: readonly {
    readonly number: string;
    readonly debit: string;
    readonly credit: string;
    readonly previousBalance: string;
    readonly balance: string;
    readonly ledgerAccount: { readonly subAccount: string; readonly currency: { readonly code: string } };
  }[];
}

/** @returns the transaction with its events and lines. */
export async function readHistory({ client, end2end }: Walker): Promise<History> {
  return (await client.graphql(HISTORY, { end2end })).transaction;
}

/** @returns the lines of the statement after a line, newest first. */
export async function readLines(client: Client, after: bigint): Promise<Entry[]> {
  const lines: Entry[] = [];
  for (;;) {
    const path = `/v2/statement?limit=${PAGE}&offset=${lines.length}`;
    const { entries } = expectStatus(await client.get(path), 200) as { entries: readonly Entry[] };
    const fresh = entries.filter(({ id }) => BigInt(id) > after);
    lines.push(...fresh);
    if (fresh.length < PAGE) return lines;
  }
}

/** The steps in their order, numbered from one, each later than the one before. */
export function checkSteps(
  { walk, record }: Walker,
  { component, state, events }: History,
  complain: Complain,
): void {
  const found = events.map((event) => `${event.component}/${event.state}`);
  if (found.join(' ') !== walk.steps.join(' '))
    complain(`passed ${found.join(' ')}\n  instead of ${walk.steps.join(' ')}`);
  if (events.some(({ sequence }, index) => Number(sequence) !== index + 1))
    complain(`the events are numbered ${events.map(({ sequence }) => sequence).join(' ')}`);
  const times = events.map(({ occurredAt }) => Date.parse(occurredAt));
  if (times.some((time, index) => time <= (times[index - 1] ?? 0)))
    complain(`the events do not follow each other: ${times.join(' ')}`);
  if (`${component}/${state}` !== found.at(-1) || `${record.component}/${record.state}` !== found.at(-1))
    complain(`REST is at ${record.component}/${record.state}, GraphQL at ${component}/${state}`);
}

/** The labels of states.json at every step; the message of an error stays through the refund that follows it (C-31). */
export function checkLabels({ walk, record }: Walker, history: History, complain: Complain): void {
  const passed = walk.steps.map((name) => publishedStep(walk.template, name));
  const last = passed.at(-1);
  if (!last) return;
  const none = { en: '', pt: '' };
  const error = passed.reduce<Label>((kept, { component, error_message }) => {
    if (error_message.en !== '') return error_message;
    return component === 'refund' ? kept : none;
  }, none);
  const told: [string, Label, Label][] = history.events.flatMap(({ status, substatus }, index) => {
    const step = passed[index] ?? last;
    return [
      [`status of event ${index + 1}`, status, step.status],
      [`substatus of event ${index + 1}`, substatus, step.substatus],
    ] as [string, Label, Label][];
  });
  for (const name of ['status', 'substatus', 'message'] as const)
    told.push([name, record[name], last[name]], [`${name} of GraphQL`, history[name], last[name]]);
  told.push(
    ['error', record.error_message, error],
    ['error of GraphQL', history.errorMessage ?? none, error],
  );
  for (const [name, found, expected] of told)
    if (found.en !== expected.en || found.pt !== expected.pt)
      complain(`the ${name} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

function publishedStep(template: string, name: string): PublishedStep {
  const found = TEMPLATES[template]?.find(({ component, state }) => `${component}/${state}` === name);
  if (!found) throw new Error(`states.json has no ${name} of ${template}`);
  return found;
}

/** The lines of the transaction are those that its journals leave, and GraphQL tells the same. */
export function checkLines(
  walker: Walker,
  lines: readonly Entry[],
  history: History,
  complain: Complain,
): void {
  const { walk, currency, figures, end2end } = walker;
  const expected = linesOf(walk.journals, currency, figures).reverse();
  const own = lines.filter(({ transaction }) => transaction?.end2end === end2end);
  const found = own.map(
    (line): ExpectedLine => ({
      currency: line.account.currency,
      subAccount: subAccountOf(line),
      debit: trimDecimal(line.debit),
      credit: trimDecimal(line.credit),
    }),
  );
  if (!isDeepStrictEqual(found, expected))
    complain(`the statement shows\n  ${tell(found)}\n  instead of\n  ${tell(expected)}`);
  const { component, state, ...embedded } = walker.record;
  for (const { id, transaction } of own)
    if (!isDeepStrictEqual(transaction, embedded))
      complain(`line ${id} carries ${JSON.stringify(transaction)} instead of ${JSON.stringify(embedded)}`);
  const rest = own.map((line) => [line.id, line.debit, line.credit, line.previous_balance, line.balance]);
  const graphql = history.ledgerLines
    .map((line) => [line.number, line.debit, line.credit, line.previousBalance, line.balance])
    .reverse();
  if (!isDeepStrictEqual(rest.map(trimAll), graphql.map(trimAll)))
    complain(`GraphQL tells the lines ${JSON.stringify(graphql)} instead of ${JSON.stringify(rest)}`);
}

/** Every line follows from the one before it, and the newest of each sub-account is its balance. */
export function checkChain(lines: readonly Entry[], after: Moment, complain: Complain): void {
  const newest = new Map<string, Entry>();
  for (const line of lines) {
    const key = keyOf(line);
    const later = newest.get(key);
    if (sum([line.previous_balance, line.credit, negative(line.debit)]) !== trimDecimal(line.balance))
      complain(`line ${line.id} does not add up`);
    if (line.balance.startsWith('-')) complain(`line ${line.id} leaves less than nothing`);
    if (later && trimDecimal(later.previous_balance) !== trimDecimal(line.balance))
      complain(`line ${later.id} does not follow from line ${line.id}`);
    if (!later && after.balances.get(key) !== trimDecimal(line.balance))
      complain(`the balance of ${key} is ${after.balances.get(key)}, its newest line says ${line.balance}`);
    newest.set(key, line);
  }
}

/**
 * What the statement shows is what the balances changed by; and the transaction alone changed what it should have.
 *
 * @param lines - all since `before`, also those of funds and of other transactions.
 */
export function checkBalances(
  walker: Walker,
  { before, after, lines }: { before: Moment; after: Moment; lines: readonly Entry[] },
  complain: Complain,
): void {
  const keys = new Set([...before.balances.keys(), ...after.balances.keys()]);
  for (const key of keys) {
    const change = less(after.balances.get(key) ?? '0', before.balances.get(key) ?? '0');
    const shown = totalOf(lines.filter((line) => keyOf(line) === key));
    if (change !== shown) complain(`${key} changed by ${change}, the statement shows ${shown}`);
    const own = lines.filter(
      (line) => keyOf(line) === key && line.transaction?.end2end === walker.end2end && walker.end2end !== '',
    );
    const expected = figure(walker.walk.change[key], walker.end2end === '' ? {} : walker.figures);
    if (totalOf(own) !== expected) complain(`${key} changed by ${totalOf(own)} instead of ${expected}`);
  }
  for (const key of Object.keys(walker.walk.change)) if (!keys.has(key)) complain(`there is no ${key}`);
}

/** The list has the very record that is read alone. */
export async function checkList(
  { client, walk, record, end2end }: Walker,
  complain: Complain,
): Promise<void> {
  const { results } = expectStatus(await client.get(`${walk.path}s?limit=20`), 200);
  const listed = results.find((each: { end2end: string }) => each.end2end === end2end);
  if (!isDeepStrictEqual(listed, record))
    complain(`the list has ${JSON.stringify(listed)} instead of ${JSON.stringify(record)}`);
}

/**
 * The amounts follow from the exact quote and the fees, rounded towards the house by less than one unit of the last
 * decimal (C-21).
 */
export function checkPrice({ figures, currency }: Walker, history: History, complain: Complain): void {
  const { quote, fees, source, target } = history;
  if (!quote || !fees || !source.amount || !target.amount) return;
  const isIn = source.currency?.code === 'BRL';
  const unit = fromMinor(1n, currencyOf(currency)?.decimals ?? 0);
  const [gross, asked, most] = isIn
    ? // A cent of the payment, a cent of the fee, and a unit of crypto that was not quite paid for.
      [less(source.amount, fees), figures.crypto ?? '0', sum([multiply(unit, quote), '0.02'])]
    : [multiply(source.amount, quote), '0', '0.01'];
  const beyond = less(gross, isIn ? multiply(asked, quote) : sum([target.amount, fees]));
  if (beyond.startsWith('-') || !less(beyond, most).startsWith('-'))
    complain(`the house keeps ${beyond} BRL beyond its fees`);
}

function figure(expression: string | undefined, figures: Figures): string {
  if (expression === undefined) return '0';
  const isLess = expression.startsWith('-');
  const name = (isLess ? expression.slice(1) : expression) as keyof Figures;
  const amount = figures[name] ?? '0';
  return isLess ? negative(amount) : amount;
}

function totalOf(lines: readonly Entry[]): string {
  return sum(lines.flatMap(({ debit, credit }) => [credit, negative(debit)]));
}

function subAccountOf({ account: { code } }: Entry): string {
  return SUB_ACCOUNTS[Number(code.split('.').at(-1))] ?? code;
}

function keyOf(line: Entry): string {
  return `${line.account.currency} ${subAccountOf(line)}`;
}

function tell(lines: readonly ExpectedLine[]): string {
  return lines
    .map(({ currency, subAccount, debit, credit }) => `${currency} ${subAccount} -${debit} +${credit}`)
    .join('\n  ');
}

function trimAll([id = '', ...amounts]: readonly string[]): string[] {
  return [id, ...amounts.map(trimDecimal)];
}
