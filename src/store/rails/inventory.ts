/** The own funds of the house over all accounts, and what was answered to orders to convert. */
import type { AccountMode } from '../../base/account-mode.ts';
import { OWN_FUNDS } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../database.ts';

/** What became of an order to convert. */
export type ConversionAnswer = 'settled' | 'failed';

/** What the house owns in a currency, and how much of it conversions moved that are not answered with yes. */
export interface FundsRow {
  /** Raw ledger code. */
  readonly currency: string;
  /** Minor units, credits less debits; null where nothing was ever booked. */
  readonly bookedMinor: string | null;
  /** Decimal text: in above zero, out below; null where none is open. */
  readonly open: string | null;
}

// One statement, so one moment: a conversion that ends meanwhile is in both figures or in neither.
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
const ANSWER: Statement = {
  name: 'inventory_answer',
  text: `select answer from inventory_conversion where account_id = $1 and key = $2`,
};
const KEEP: Statement = {
  name: 'inventory_keep',
  text: `insert into inventory_conversion (account_id, key, answer, answered_at) values ($1, $2, $3, $4)`,
};

/** @returns the funds in these currencies, as of one moment. */
export function readFunds(tx: Tx, mode: AccountMode, currencies: readonly string[]): Promise<FundsRow[]> {
  return tx.query<FundsRow>(FUNDS, [mode, currencies]);
}

/** @returns what was answered to an order; undefined when it was not asked for before. */
export async function readConversion(
  tx: Tx,
  { accountId, key }: { readonly accountId: bigint; readonly key: string },
): Promise<ConversionAnswer | undefined> {
  const [row] = await tx.query<{ answer: ConversionAnswer }>(ANSWER, [accountId, key]);
  return row?.answer;
}

/** Keeps the answer to an order. */
export async function keepConversion(
  tx: Tx,
  { accountId, key }: { readonly accountId: bigint; readonly key: string },
  answer: ConversionAnswer,
  at: Date,
): Promise<void> {
  await tx.query(KEEP, [accountId, key, answer, at.toISOString()]);
}
