/** Reads the account's balances, now or at an instant. */
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, multiply, roundHalfUp, sum } from '../../base/money/money.ts';
import { type Instant, millisOf } from '../../base/time/instant.ts';
import { SUB_ACCOUNTS } from '../../ledger/chart.ts';
import { readRates, readRateTable } from '../../store/engine/pricing.ts';
import { type BalanceRow, readBalances as readRows } from '../../store/ledger/ledger.ts';
import type { AccountBalances, CurrencyBalance } from '../../wire/balance.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';

/** Balance of an account in one currency. */
export interface Balance extends CurrencyBalance {
  /** Raw ledger code. */
  readonly currency: string;
}

/** Balances in the order of currency codes, and their sums in BRL by asset and in all. */
export interface Balances extends AccountBalances {
  readonly balances: readonly Balance[];
}

/** @param at - an instant; the newest balances if omitted. The BRL figures always use today's rates. */
export async function readBalances(context: Context, at?: Date): Promise<Balances> {
  requireScope(context, 'read');
  const { database, caller, mode } = context;
  const [rows, rates] = await Promise.all([
    readRows(database, caller.accountId, at),
    readRates(database, mode),
  ]);
  const byCurrency = Map.groupBy(rows, (row) => row.currency);
  const balances = [...byCurrency.keys()]
    .sort()
    .map((code) => balanceOf(code, byCurrency.get(code) ?? [], rates));
  const byAsset = [...Map.groupBy(balances, (balance) => balance.asset)].map(([asset, currencies]) => ({
    asset,
    currencies,
    calculatedBrl: sumKnown(currencies),
  }));
  return { balances, byAsset, totalBrl: sumKnown(balances) ?? '0' };
}

function balanceOf(code: string, rows: readonly BalanceRow[], rates: ReadonlyMap<string, string>): Balance {
  const held = (subAccount: number) => {
    const row = rows.find((candidate) => candidate.subAccount === subAccount);
    return row ? fromMinor(row.balance, row.scale) : '0';
  };
  const { asset, displayName } = currencyOfLedger(code);
  const available = held(SUB_ACCOUNTS.available);
  const rate = rates.get(asset);
  return {
    currency: code,
    asset,
    displayName,
    available,
    inTransit: held(SUB_ACCOUNTS.in_transit),
    toReceive: held(SUB_ACCOUNTS.to_receive),
    blocked: held(SUB_ACCOUNTS.blocked),
    calculatedBrl: rate === undefined ? null : roundHalfUp(multiply(available, rate), 2),
  };
}

function sumKnown(balances: readonly Balance[]): string | null {
  const known = balances.flatMap((balance) => balance.calculatedBrl ?? []);
  return known.length > 0 ? sum(known) : null;
}

/** Worth of an account's balances in BRL, all parts together; decimal text. */
export interface BalanceWorth {
  readonly total: string;
  readonly available: string;
  /** Time of the oldest rate that was used; null where all is BRL. */
  readonly ratesAt: Instant | null;
  /** Raw ledger codes of held currencies without a rate. */
  readonly unpriced: readonly string[];
}

/** @returns the worth of the newest balances at the last known rates. @throws {GatewayError} `FORBIDDEN` without `read`. */
export async function readBalanceWorth(context: Context): Promise<BalanceWorth> {
  const { database, mode } = context;
  const [{ balances }, rates] = await Promise.all([readBalances(context), readRateTable(database, mode)]);
  const held = balances
    .map((each) => ({ ...each, all: sum([each.available, each.inTransit, each.toReceive, each.blocked]) }))
    .filter(({ all }) => /[1-9]/.test(all));
  const rateOf = (asset: string) => (asset === BRL.asset ? '1' : rates.get(asset)?.mid);
  const priced = held.filter(({ asset }) => rateOf(asset) !== undefined);
  const worthOf = (member: 'all' | 'available') =>
    sum(priced.map((each) => roundHalfUp(multiply(each[member], rateOf(each.asset) ?? '0'), BRL.decimals)));
  const times = priced.flatMap(({ asset }) => rates.get(asset)?.observedAt ?? []);
  return {
    total: worthOf('all'),
    available: worthOf('available'),
    ratesAt: times.toSorted((left, right) => millisOf(left) - millisOf(right))[0] ?? null,
    unpriced: held.filter(({ asset }) => rateOf(asset) === undefined).map(({ currency }) => currency),
  };
}
