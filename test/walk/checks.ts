/** What has to hold after a walk: of the transaction, of its lines, and of everything that tells the same twice. */
import { isDeepStrictEqual } from 'node:util';
import { currencyOf } from '../../src/base/money/currency.ts';
import { fromMinor, multiply, sum, trimDecimal } from '../../src/base/money/money.ts';
import type { Client } from './client.ts';
import {
  type ExpectedLine,
  type Figures,
  type Label,
  linesOf,
  type PublishedStep,
  TEMPLATES,
} from './published.ts';
import { expectStatus, less, negative, readBalances, type Walker } from './walker.ts';

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
/** domain.md 3.2. */
const PIX_E2E = /^E[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/;

const HISTORY = `query ($end2end: String!) { transaction(end2end: $end2end) {
  template component state status { en pt } substatus { en pt } message { en pt } errorMessage { en pt }
  source { amount currency { code } } target { amount currency { code } }
  ... on CrossrampCheckout { quote fees } ... on Onramp { quote fees } ... on OnrampInstant { quote fees }
  ... on Offramp { quote fees } ... on OfframpInstant { quote fees }
  events { sequence component state occurredAt status { en pt } substatus { en pt } }
  ledgerLines { number debit credit previousBalance balance ledgerAccount { subAccount currency { code } } }
} }`;

interface Money {
  readonly amount: string;
  readonly currency: { readonly code: string };
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
  readonly source: Money | null;
  readonly target: Money | null;
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

/** @returns the balances, and the line up to which the statement explains them: others may be moving the account. */
export async function timeOf(client: Client): Promise<Moment> {
  for (;;) {
    const lastLine = await readLastLine(client);
    const balances = await readBalances(client);
    if ((await readLastLine(client)) === lastLine) return { balances, lastLine };
  }
}

/** @returns the lines of the statement from one moment to the other, newest first. */
export async function readLines(client: Client, from: Moment, to: Moment): Promise<Entry[]> {
  const lines = new Map<string, Entry>();
  for (let offset = 0; ; offset += PAGE) {
    const page = await readStatement(client, `limit=${PAGE}&offset=${offset}`);
    for (const line of page) lines.set(line.id, line);
    if (page.length < PAGE || BigInt(page.at(-1)?.id ?? 0) <= from.lastLine) break;
  }
  return [...lines.values()].filter(({ id }) => BigInt(id) > from.lastLine && BigInt(id) <= to.lastLine);
}

async function readLastLine(client: Client): Promise<bigint> {
  const [newest] = await readStatement(client, 'limit=1');
  return BigInt(newest?.id ?? 0);
}

async function readStatement(client: Client, query: string): Promise<readonly Entry[]> {
  return expectStatus(await client.get(`/v2/statement?${query}`), 200).entries;
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

/** The list has the very record that is read alone; the customer's, where there is one, has nobody else's. */
export async function checkList({ client, walk, record, taxId }: Walker, complain: Complain): Promise<void> {
  const filter = record.attributes.client_tax_id ? `client_tax_id=${taxId}` : 'limit=20';
  const { results } = expectStatus(await client.get(`${walk.path}s?${filter}`), 200);
  const listed = results.find(({ end2end }: Walker['record']) => end2end === record.end2end);
  if (!isDeepStrictEqual(listed, record))
    complain(`the list has ${JSON.stringify(listed)} instead of ${JSON.stringify(record)}`);
}

/** What becomes known on the way is published once it is, and not before. */
export function checkFacts({ walk, record, taxId }: Walker, complain: Complain): void {
  const has = (...states: readonly string[]) => walk.steps.some((step) => states.includes(step));
  const isReceived = walk.steps.some((step) =>
    /^depositpix\w*\/(PAID|UNDERPAID|OVERPAID|LATE|DIVERGENT)$/.test(step),
  );
  const isDeposited =
    walk.steps.lastIndexOf('crypto_deposit/DROPPED') <
    walk.steps.findLastIndex((step) => /^crypto_deposit\/(DETECTED|UNDERPAID|OVERPAID|LATE)$/.test(step));
  const isPaidOut = record.template.startsWith('offramp') && has('success/DONE');
  const isSent = has('crypto_out/BROADCAST', 'send_withdrawl_dash/BROADCAST');
  const isNamed = has('kyc_payee/INITIAL') || walk.steps.some((step) => step.startsWith('valida_id'));
  const expected: Record<string, boolean> = {
    pix_e2e: isReceived || isPaidOut,
    tx_hash: isSent || isDeposited,
    explorer_url: isSent,
    deposit_address: has('crypto_deposit/WAITING_DEPOSIT'),
    exact_deposit_amount: has('crypto_deposit/WAITING_DEPOSIT'),
    ...(isNamed && { client_name: true, client_tax_id: true }),
  };
  const { attributes } = record;
  for (const [name, isKnown] of Object.entries(expected))
    if (name in attributes && (attributes[name] !== '') !== isKnown)
      complain(`${name} is ${JSON.stringify(attributes[name])}`);
  if (attributes.pix_e2e && !PIX_E2E.test(attributes.pix_e2e)) complain(`pix_e2e is ${attributes.pix_e2e}`);
  if (attributes.client_tax_id && attributes.client_tax_id !== taxId)
    complain(`client_tax_id is ${attributes.client_tax_id} instead of ${taxId}`);
}

/** The figures in BRL add up, by asset and in all. */
export async function checkWorth(client: Client, complain: Complain): Promise<void> {
  const body = expectStatus(await client.get('/v2/balance'), 200);
  const worth = 'calculated_BRL_balance';
  const assets: readonly Record<string, string>[] = Object.values(body.balances);
  for (const asset of assets) {
    const parts = Object.values(asset).flatMap(
      (part) => (part as unknown as Record<string, string>)?.[worth] ?? [],
    );
    if (sum(parts) !== trimDecimal(asset[worth] ?? '0')) complain(`${JSON.stringify(asset)} does not add up`);
  }
  const total = sum(assets.map((asset) => asset[worth] ?? '0'));
  if (total !== trimDecimal(body.calculated_BRL_total_balance)) complain(`all is worth ${total} in parts`);
}

/**
 * The amounts follow from the exact quote and the fees, rounded towards the house by less than one unit of the last
 * decimal (C-21).
 */
export function checkPrice({ figures, currency }: Walker, history: History, complain: Complain): void {
  const { quote, fees, source, target } = history;
  if (!quote || !fees || !source || !target) return;
  const isIn = source.currency.code === 'BRL';
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
