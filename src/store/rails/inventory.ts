/** The house's own funds over all accounts, and the answers to conversion orders. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import { OWN_FUNDS } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Outcome of a conversion order. */
export type ConversionAnswer = 'settled' | 'failed';

/** A conversion order, by its key in its account. */
export interface ConversionOrder {
  readonly accountId: bigint;
  readonly key: string;
}

/** Holdings of the house in a currency, and the part moved by unsettled conversions. */
export interface FundsRow {
  /** Raw ledger code. */
  readonly currency: string;
  /** Minor units, credits less debits; null without a booking. */
  readonly bookedMinor: string | null;
  /** Decimal text: incoming positive, outgoing negative; null without an open conversion. */
  readonly open: string | null;
}

// One statement, so one snapshot: a conversion that ends meanwhile is in both figures or in neither.
const FUNDS: Statement = {
  name: 'inventory_funds',
  text: `with booked as (
      select l.currency, sum(b.balance)::text as minor from ledger_account l
        join account a on a.id = l.account_id and a.mode = $1
        join ledger_balance b on b.account_id = l.account_id and b.ledger_account_id = l.id
       where l.house in (${OWN_FUNDS.map((house) => `'${house}'`).join(', ')}) and l.currency = any ($2::text[]) group by 1
    ), open as (
      select g.currency, sum(g.amount)::text as amount from job j
        join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
        cross join lateral (values (t.source_currency, t.source_amount::numeric),
            (t.target_currency, -(t.target_amount::numeric + coalesce(t.network_fee::numeric, 0)))) g(currency, amount)
       where j.kind = 'swap' and j.is_live = ($1 = 'live') and g.currency = any ($2::text[])
         and not exists (select from inventory_conversion c
                          where c.account_id = j.account_id and c.key = t.end2end || ':' || j.id and c.answer = 'settled')
       group by 1
    )
    select currency, booked.minor as "bookedMinor", open.amount as "open" from booked full join open using (currency)`,
};
const ANSWERS: Statement = {
  name: 'inventory_answers',
  text: `select g.place::int as place, c.answer from unnest($1::bigint[], $2::text[]) with ordinality g(account_id, key, place)
    join inventory_conversion c on c.account_id = g.account_id and c.key = g.key`,
};
const STORE: Statement = {
  name: 'inventory_keep',
  text: `insert into inventory_conversion (account_id, key, answer, answered_at)
    select account_id, key, answer, $4 from unnest($1::bigint[], $2::text[], $3::text[]) g(account_id, key, answer)`,
};

/** @returns the funds in these currencies, as of the same time. */
export function readFunds(tx: Tx, mode: AccountMode, currencies: readonly string[]): Promise<FundsRow[]> {
  return tx.query<FundsRow>(FUNDS, [mode, currencies]);
}

/** @returns the answers to the orders, in order; undefined for a new order. */
export async function readConversions(
  tx: Tx,
  orders: readonly ConversionOrder[],
): Promise<(ConversionAnswer | undefined)[]> {
  const rows = await tx.query<{ place: number; answer: ConversionAnswer }>(ANSWERS, [
    orders.map(({ accountId }) => accountId),
    orders.map(({ key }) => key),
  ]);
  const answers = new Map(rows.map(({ place: index, answer }) => [index, answer]));
  return orders.map((_, index) => answers.get(index + 1));
}

/** Stores the answers to orders with different keys. */
export async function storeConversions(
  tx: Tx,
  conversions: readonly (ConversionOrder & { readonly answer: ConversionAnswer })[],
  at: Instant,
): Promise<void> {
  await tx.query(STORE, [
    conversions.map(({ accountId }) => accountId),
    conversions.map(({ key }) => key),
    conversions.map(({ answer }) => answer),
    at,
  ]);
}
