/**
 * Records of history in the published form (C-70), for tests that need more than the example history: a valid
 * transaction of each template, and statement entries that chain. Overrides replace single members.
 */
import { CURRENCIES, currencyOfHistory } from '../../src/base/money/currency.ts';
import { sum } from '../../src/base/money/money.ts';
import { importAccount } from '../../src/resolvers/history/import-account.ts';
import { insertFresh, openStaging, stageTransactions } from '../../src/store/account/staged-history.ts';
import type { Database, Tx } from '../../src/store/connection/database.ts';
import { TRANSACTION_COLUMNS } from '../../src/store/engine/transactions.ts';
import type { NewTransaction } from '../../src/store/ledger/history.ts';
import { REGISTRY } from '../../src/templates/index.ts';

/** A member of a record: JSON, or a number given by `exact`. */
export type Member = unknown;
/** Members by name. */
export type Members = Readonly<Record<string, Member>>;

/** @returns a JSON number that is printed as this token, digit for digit. */
export function exact(token: string): Member {
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(token);
}

/** @returns an `end2end` that no other record of the process has; later ones are greater. */
export function nextEnd2end(): string {
  lastEnd2end += 1;
  return `CRX01KR${String(lastEnd2end).padStart(22, '0')}`;
}

let lastEnd2end = 0;

const SESSION = { expiration: '2026-06-01T12:30:00Z', return_url: '', external_code: '', webhook: '' };
const CLIENT = { pix_e2e: '', client_name: 'Ana Souza', client_tax_id: '52998224725' };
const PIX_IN = {
  quote: 5.4525,
  ref_quote: 5.3987,
  fees: 7.75,
  currency_entry: 'BRL',
  currency_exit_received: 'USDT (TRX)',
  currency_exit_received_code: 'USDT',
  amount_payment: 275.25,
  amount_received: 49.060064,
  ...CLIENT,
  ...SESSION,
};
const PIX_OUT = { pix_key: 'ana@example.com', pix_key_type: 'email', ...CLIENT, ...SESSION };
const INTEGERS = { quote: 5, ref_quote: 5, fees: 10 };

/** Component, state and attributes of a valid record of each template, in the order of the published tables. */
const RECORDS = {
  crossramp_checkout: { component: 'depositpix_v2', state: 'QRCODE', attributes: PIX_IN },
  onramp: { component: 'success', state: 'DONE', attributes: { ...PIX_IN, template: 'onramp' } },
  onramp_instant: {
    component: 'success',
    state: 'DONE',
    attributes: {
      ...PIX_IN,
      template: 'onramp_instant',
      wallet: 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut',
      tx_hash: '',
      network_fee: '1.00',
    },
  },
  offramp: {
    component: 'success',
    state: 'DONE',
    attributes: {
      ...INTEGERS,
      currency_exit: 'BRL',
      currency_entry_paid: 'USDT (TRX)',
      currency_entry_paid_code: 'USDT',
      amount_paid: 100,
      amount_sent: 490,
      ...PIX_OUT,
    },
  },
  offramp_instant: {
    component: 'success',
    state: 'DONE',
    attributes: {
      ...INTEGERS,
      currency_payment: 'USDT',
      currency_received: 'BRL',
      amount_payment: 80.004219,
      amount_received: 394,
      amount_payment_display: '80.004219 USDT (TRX)',
      deposit_address: 'TAgEayk4rAWTNWGkytgdNjkXXABto5Vp8Q',
      deposit_currency: 'USDT_TRX',
      exact_deposit_amount: '80.004219',
      tx_hash: '',
      ...PIX_OUT,
    },
  },
  withdraw_dash_same_curr: {
    component: 'success_withdrawl_dash',
    state: 'DONE',
    attributes: {
      amount_discounted: 99,
      amount_received: 100,
      currency_received: 'USDT (TRX)',
      currency_receive_code: 'USDT',
      address: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD',
      tx_hash: '',
      explorer_url: '',
      network_fee: '1.00',
      group_id: 'wl-treasury',
      notes: '',
    },
  },
} as const;

/** Wire name of a template. */
export type TemplateName = keyof typeof RECORDS;

/** All six, in the order of `service.md` 1. */
export const TEMPLATE_NAMES = Object.keys(RECORDS) as readonly TemplateName[];

/**
 * @param attributes - members of `attributes` to replace or add.
 * @param envelope - members of the envelope to replace, such as `end2end` and `created_at`.
 * @returns a line of type `transaction`.
 */
export function transaction(
  template: TemplateName,
  attributes: Members = {},
  envelope: Members = {},
): string {
  const record = RECORDS[template];
  const step = REGISTRY.stepOf(template, record.component, record.state);
  return JSON.stringify({
    type: 'transaction',
    end2end: nextEnd2end(),
    component: record.component,
    state: record.state,
    template,
    created_at: '2026-06-01T12:00:00Z',
    updated_at: '2026-06-01T12:01:00Z',
    status: step.status,
    substatus: step.substatus,
    message: step.message,
    error_message: { en: '', pt: '' },
    ...envelope,
    attributes: { ...record.attributes, ...attributes },
  });
}

const SUB_ACCOUNTS = ['available', 'in_transit', 'to_receive', 'blocked'] as const;

/** What moves one sub-account. */
export interface Move {
  /** Raw ledger code. */
  readonly currency: string;
  readonly subAccount?: (typeof SUB_ACCOUNTS)[number];
  /** A decimal; below zero for a debit. */
  readonly change: string;
  readonly date?: string;
  /** `end2end`; null for an adjustment. */
  readonly transaction?: string | null;
}

/**
 * @param firstId - id of the first entry; the others follow.
 * @returns lines of type `statement_entry`, each starting where the one before it of the same sub-account ended.
 */
export function statementEntries(moves: readonly Move[], firstId = 1): string[] {
  const balances = new Map<string, string>();
  return moves.map(({ currency, subAccount = 'available', change, date, transaction: end2end }, index) => {
    const account = ledgerAccount(currency, subAccount);
    const previous = balances.get(account.code) ?? '0';
    const balance = sum([previous, change]);
    balances.set(account.code, balance);
    const isDebit = change.startsWith('-');
    return JSON.stringify({
      type: 'statement_entry',
      id: firstId + index,
      date: date ?? '2026-06-01T12:00:00Z',
      account,
      debit: exact(isDebit ? change.slice(1) : '0'),
      credit: exact(isDebit ? '0' : change),
      previous_balance: exact(previous),
      balance: exact(balance),
      transaction: end2end ?? null,
    });
  });
}

/** A ledger account of the tests: ids and codes follow from the currency's place in the catalogue. */
function ledgerAccount(currency: string, subAccount: (typeof SUB_ACCOUNTS)[number]) {
  const listed = CURRENCIES.findIndex(({ code }) => code === currency);
  const place = listed < 0 ? CURRENCIES.length : listed;
  const digit = SUB_ACCOUNTS.indexOf(subAccount) + 1;
  const name = currencyOfHistory(currency)?.displayName ?? currency;
  return {
    id: 100 + place * 10 + digit,
    name: `${name} ${subAccount}`,
    code: `2.1.1.7.${place}.1.${digit}`,
    currency,
    currency_pretty_name: name,
  };
}

/** Takes lines in as the history of an account. */
export async function takeIn(database: Database, accountId: bigint, lines: readonly string[]): Promise<void> {
  await importAccount(database, REGISTRY, accountId, 'records.ndjson', lines);
}

/** A transaction whose `end2end` is a name: template, attributes, creation time. */
export type Named = readonly [name: string, template: TemplateName, attributes: Members, createdAt: string];

/** @returns lines of these transactions. */
export function namedTransactions(records: readonly Named[]): string[] {
  return records.map(([end2end, template, attributes, created_at]) =>
    transaction(template, attributes, { end2end, created_at }),
  );
}

/** One address of each form in which addresses are compared. */
export const TRON = 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut';
export const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const BECH32 = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
export const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** Tax ids and PIX ids of the records below. */
export const CPF = '52998224725';
export const CNPJ = '12ABC34501DE35';
export const PIX = ['E00038166202605011200ck7ueu153th', 'E000381662026050115106ml00gid58t'] as const;
/** Three days on which they were created. */
export const DAYS = ['2026-06-01T10:00:00Z', '2026-06-02T10:00:00Z', '2026-06-03T10:00:00Z'] as const;

/** Transactions in which every filter of the lists finds some and misses others. */
export const FILTERED: readonly Named[] = [
  ['c1', 'crossramp_checkout', { pix_e2e: PIX[0], client_tax_id: CPF, external_code: 'order 1' }, DAYS[0]],
  ['c2', 'crossramp_checkout', { pix_e2e: PIX[1], client_tax_id: '529.982.247-25' }, DAYS[1]],
  ['c3', 'crossramp_checkout', { pix_e2e: '', client_tax_id: '11144477735' }, DAYS[2]],
  ['o1', 'onramp_instant', { wallet: TRON, pix_e2e: PIX[0] }, DAYS[0]],
  ['o2', 'onramp_instant', { wallet: EVM }, DAYS[1]],
  ['o3', 'onramp', { client_tax_id: CNPJ, pix_e2e: PIX[1], external_code: 'order 1' }, DAYS[1]],
  ['o4', 'onramp_instant', { wallet: BECH32, client_tax_id: CNPJ }, DAYS[2]],
  ['o5', 'onramp_instant', { wallet: SOLANA }, DAYS[2]],
  ['f1', 'offramp', { pix_e2e: PIX[0], external_code: 'Order 1' }, DAYS[0]],
  ['f2', 'offramp_instant', { deposit_address: TRON }, DAYS[1]],
  ['f3', 'offramp_instant', { deposit_address: SOLANA, client_tax_id: '11144477735' }, DAYS[2]],
  ['w1', 'withdraw_dash_same_curr', sentTo('wl-a', TRON, 'USDT (TRX)'), DAYS[0]],
  ['w2', 'withdraw_dash_same_curr', sentTo('wl-b', EVM, 'USDC (POLYGON)'), DAYS[1]],
  ['w3', 'withdraw_dash_same_curr', sentTo('wl-a', 'ana@example.com', 'BRL'), DAYS[2]],
  ['w4', 'withdraw_dash_same_curr', sentTo('wl-b', EVM, 'ETH (ETH)'), DAYS[2]],
];

/** The same for the statement: entries 1 to 8, on two days. DOGE is not in the catalogue. */
export const FILTERED_MOVES: readonly Move[] = [
  { currency: 'USDT_TRX', change: '10.5', date: DAYS[0] },
  { currency: 'USDT_TRX', subAccount: 'in_transit', change: '2', date: DAYS[0] },
  { currency: 'USDT_TRX', subAccount: 'to_receive', change: '3', date: DAYS[0] },
  { currency: 'USDT_TRX', subAccount: 'blocked', change: '4', date: DAYS[1] },
  { currency: 'USDT_POLYGON', change: '0.000001', date: DAYS[1] },
  { currency: 'ETH_ETH', change: '1', date: DAYS[1] },
  { currency: 'BRL', change: '734.56', date: DAYS[1] },
  { currency: 'DOGE_DOGE', change: '42', date: DAYS[1] },
];

function sentTo(group_id: string, address: string, currency_received: string): Members {
  const [currency_receive_code] = currency_received.split(' ');
  return { group_id, address, currency_received, currency_receive_code };
}

const BLANK = Object.fromEntries(Object.keys(TRANSACTION_COLUMNS).map((name) => [name, null]));

/** @returns an onramp that is done, with these facts. */
export function newTransaction(facts: Partial<NewTransaction>): NewTransaction {
  const texts = { template: 'onramp', component: 'success', state: 'DONE', errorEn: '', errorPt: '' };
  return { ...BLANK, ...texts, family: 'onramps', updatedAt: facts.createdAt, ...facts } as NewTransaction;
}

/** Adds transactions to their lists as an import does. */
export async function insertTransactions(
  tx: Tx,
  accountId: bigint,
  transactions: readonly NewTransaction[],
): Promise<void> {
  await openStaging(tx);
  await stageTransactions(
    tx,
    transactions.map((record, at) => ({ line: at + 1, digest: '', record })),
  );
  for await (const _inserted of insertFresh(tx, accountId));
}
