/** Ledger side of money outside of the ledger, BRL at the bank and coins in wallets, for reconciliation. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import { BRL, CURRENCIES, NETWORKS } from '../../base/money/currency.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** The natural key of a rail event. */
export interface RailEventName {
  readonly kind: string;
  readonly key: string;
}

/** Outcome of a rail event: the booking of its money. */
export interface BookedRailEvent {
  /** Position of the requested name. */
  readonly place: number;
  readonly outcome: string;
  readonly accountId: bigint | null;
  readonly transactionId: bigint | null;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  /** Journal of its suspense, or of a network's charge. */
  readonly journalId: bigint | null;
  /** Journal of a network's charge for a refund out of suspense. */
  readonly gasJournalId: bigint | null;
  /** Whether it is a deposit that its network dropped. */
  readonly isDropped: boolean;
}

/** The house account of a rail's money, with the currencies of the rail. */
export interface Vault {
  readonly house: HouseAccount;
  /** Raw ledger codes. */
  readonly currencies: readonly string[];
}

/** BRL at the bank. */
export const BANK: Vault = { house: 'A.pix', currencies: [BRL.code] };

/** @returns the ledger accounts of a network's coins, including those that pay fees. */
export function networkVault(network: string): Vault {
  const codes = CURRENCIES.flatMap((each) => (each.network === network ? [each.code] : []));
  return {
    house: 'A.custody',
    currencies: [...new Set([...codes, `${NETWORKS[network]?.coin}_${network}`])],
  };
}

/** A ledger line of a vault. */
export interface VaultLine {
  readonly accountId: bigint;
  readonly journalId: bigint;
  readonly transactionId: bigint | null;
  readonly end2end: string | null;
  /** Name in the chart of journals. */
  readonly name: string;
  /** Raw ledger code. */
  readonly currency: string;
  /** Minor units; positive for money in. */
  readonly minor: string;
  readonly postedAt: Instant;
  /** Whether it is a returned payout in suspense. */
  readonly isReturn: boolean;
  /** Whether it is a deposit that its network dropped: no statement contains it. */
  readonly isDropped: boolean;
}

/** Money in suspense that is undecided, or is being returned. */
export interface OpenSuspense {
  readonly count: number;
  readonly oldestAt: Instant | null;
}

/** Address of the deposit that a transaction accepted. */
const IS_LOST = `t.process -> 'deposit' @> '{"isLost": true}'`;
const BOOKED: Statement = {
  name: 'vault_booked',
  text: `select g.place::int as place, n.outcome, n.account_id as "accountId", n.transaction_id as "transactionId", t.end2end,
      coalesce(s.journal_id, j.id) as "journalId", k.id as "gasJournalId",
      coalesce(s.state = 'dropped' or n.kind = 'deposit_confirmed' and n.outcome = 'step' and ${IS_LOST}, false) as "isDropped"
    from unnest($2::text[], $3::text[]) with ordinality g(kind, key, place)
    join rail_news n on n.mode = $1 and n.kind = g.kind and n.key = g.key
    left join transaction t on t.account_id = n.account_id and t.id = n.transaction_id
    left join suspense_entry s on s.news_id = n.id
    left join journal j on j.account_id = n.account_id
      and j.ref = case when n.kind = 'gas_spent' then 'gas:' || n.id when n.outcome = 'suspense' then n.body ->> 'order' end
    left join journal k on n.outcome = 'suspense' and k.account_id = n.account_id and k.ref = (n.body ->> 'order') || ':gas'`,
};
const LINE = `l.account_id as "accountId", l.journal_id as "journalId", l.transaction_id as "transactionId", t.end2end, j.name, a.currency,
    (-l.delta)::text as minor, l.posted_at as "postedAt", coalesce(n.kind = 'payout_returned', false) as "isReturn",
    coalesce(s.state = 'dropped' or j.name = 'L31' and ${IS_LOST}, false) as "isDropped"`;
const AROUND = `join journal j on j.account_id = l.account_id and j.id = l.journal_id
    left join transaction t on t.account_id = l.account_id and t.id = l.transaction_id
    left join suspense_entry s on s.account_id = l.account_id and s.journal_id = l.journal_id
    left join rail_news n on n.id = s.news_id`;
const IS_VAULT = 'a.house = $1 and a.currency = any ($2::text[])';
const LINES_OF_TRANSACTIONS: Statement = {
  name: 'vault_transactions',
  text: `select ${LINE} from (select distinct * from unnest($3::bigint[], $4::bigint[]) u(account_id, transaction_id)) g
    join ledger_account a on a.account_id = g.account_id and ${IS_VAULT}
    join ledger_line l on l.account_id = g.account_id and l.transaction_id = g.transaction_id and l.ledger_account_id = a.id ${AROUND}
    order by l.account_id, l.journal_id`,
};
// Journals of a transaction are found by it; other journals have an index of their own.
const LINES_OF_JOURNALS: Statement = {
  name: 'vault_journals',
  text: `select ${LINE} from (select distinct * from unnest($3::bigint[], $4::bigint[]) u(account_id, journal_id)) g
    join ledger_account a on a.account_id = g.account_id and ${IS_VAULT}
    join ledger_line l on l.account_id = g.account_id and l.journal_id = g.journal_id and l.ledger_account_id = a.id
      and l.transaction_id is null ${AROUND}
    order by l.account_id, l.journal_id`,
};
// As in the books, `offset 0` prevents a look-up for every line.
const LINES_OF_PERIOD: Statement = {
  name: 'vault_period',
  text: `select ${LINE} from account o join ledger_account a on a.account_id = o.id and ${IS_VAULT}
    cross join lateral (select ledger_seq_before(a.account_id, a.id, $4::timestamptz) as lo,
      ledger_seq_before(a.account_id, a.id, $5::timestamptz) as hi offset 0) w
    join ledger_line l on l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > w.lo and l.seq <= w.hi ${AROUND}
    where o.mode = $3 and ($6::text[] is null or j.name = any ($6)) order by l.posted_at, l.account_id, l.journal_id`,
};
const SUSPENSE: Statement = {
  name: 'vault_suspense',
  text: `select count(*)::int as count, min(s.opened_at) as "oldestAt" from suspense_entry s join account a on a.id = s.account_id
    where a.mode = $1 and s.currency = any ($3::text[]) and s.state in ('open', 'returning') and s.opened_at < $2::timestamptz`,
};
/**
 * By kind of entry: for arrivals the event of the suspense entry, otherwise the facts of its transaction; for
 * departures also these facts.
 */
const NAMES_OF_LINES: Statement = {
  name: 'vault_rail_events',
  text: `select distinct k.kind, k.key
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $5::text[]) g(account_id, journal_id, transaction_id, kind)
    left join suspense_entry s on s.account_id = g.account_id and s.journal_id = g.journal_id
    left join rail_news n on n.id = s.news_id
    left join transaction t on t.account_id = g.account_id and t.id = g.transaction_id
    left join journal j on g.kind = 'refund' and j.account_id = g.account_id and j.id = g.journal_id and j.name = 'L51'
    cross join lateral (
      select 'payment', coalesce(n.key, 'pix:' || t.pix_e2e) where g.kind = 'payment'
      union all select 'deposit_confirmed', coalesce(n.key,
        'chain:' || $4 || ':' || (t.process -> 'deposit' ->> 'txHash') || ':' || (t.process -> 'deposit' ->> 'logIndex')) where g.kind = 'deposit'
      union all select 'payout_ended', 'pix:' || t.pix_e2e where g.kind = 'payout'
      union all select 'refund_ended', 'pix:' || j.ref where g.kind = 'refund'
      union all select 'refund_ended', 'pix:' || (r ->> 'returnId') from jsonb_array_elements(t.process -> 'returns') r
        where g.kind = 'refund' and j.id is null) k (kind, key)
    where k.key is not null`,
};
const HELD: Statement = {
  name: 'vault_held',
  text: `select a.currency, (-sum(b.balance))::text as minor from account o join ledger_account a on a.account_id = o.id and ${IS_VAULT}
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where o.mode = $3 group by a.currency`,
};

/** @returns the outcome of rail events; missing for events that never arrived. */
export function readBookedRailEvents(
  tx: Tx,
  mode: AccountMode,
  names: readonly RailEventName[],
): Promise<BookedRailEvent[]> {
  return tx.query<BookedRailEvent>(BOOKED, [
    mode,
    names.map(({ kind }) => kind),
    names.map(({ key }) => key),
  ]);
}

/** @returns the lines in a vault of the transactions of events, and of journals of events without a transaction. */
export async function readLinesOf(
  tx: Tx,
  { house, currencies }: Vault,
  booked: readonly BookedRailEvent[],
): Promise<VaultLine[]> {
  const journals = booked.flatMap(({ accountId, journalId, gasJournalId }) =>
    [journalId, gasJournalId].flatMap((id) => (accountId === null || id === null ? [] : [{ accountId, id }])),
  );
  const settled = booked.filter(
    ({ accountId, transactionId }) => accountId !== null && transactionId !== null,
  );
  const ofTransactions = await tx.query<VaultLine>(LINES_OF_TRANSACTIONS, [
    house,
    currencies,
    settled.map(({ accountId }) => accountId),
    settled.map(({ transactionId }) => transactionId),
  ]);
  const ofJournals = await tx.query<VaultLine>(LINES_OF_JOURNALS, [
    house,
    currencies,
    journals.map(({ accountId }) => accountId),
    journals.map(({ id }) => id),
  ]);
  return [...ofTransactions, ...ofJournals];
}

/** @returns the lines in a vault of a period, oldest first, over all accounts of a mode and some or all journals. */
export function readLinesBetween(
  tx: Tx,
  mode: AccountMode,
  { house, currencies }: Vault,
  { from, to }: { readonly from: Date; readonly to: Date },
  names?: readonly string[],
): Promise<VaultLine[]> {
  return tx.query<VaultLine>(LINES_OF_PERIOD, [
    house,
    currencies,
    mode,
    from.toISOString(),
    to.toISOString(),
    names ?? null,
  ]);
}

/**
 * @param rail - `pix`, or the name of a network.
 * @param lines - lines with the kind of entry that each corresponds to.
 * @returns the names of the events that booked them.
 */
export function readRailEventNames(
  tx: Tx,
  rail: string,
  lines: readonly { readonly line: VaultLine; readonly kind: string }[],
): Promise<RailEventName[]> {
  const of = <Name extends keyof VaultLine>(name: Name) => lines.map(({ line }) => line[name]);
  const values = [of('accountId'), of('journalId'), of('transactionId'), rail];
  return tx.query<RailEventName>(NAMES_OF_LINES, [...values, lines.map(({ kind }) => kind)]);
}

/**
 * @returns the current content of a vault by raw ledger code, over all accounts of a mode, minor units; missing for
 * unused currencies.
 */
export async function readHeld(
  tx: Tx,
  mode: AccountMode,
  { house, currencies }: Vault,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.query<{ currency: string; minor: string }>(HELD, [house, currencies, mode]);
  return new Map(rows.map(({ currency, minor }) => [currency, BigInt(minor)]));
}

/** @returns the sum of older entries that are still in suspense. */
export async function readOpenSuspense(
  tx: Tx,
  mode: AccountMode,
  { currencies }: Pick<Vault, 'currencies'>,
  before: Date,
): Promise<OpenSuspense> {
  const [row] = await tx.query<OpenSuspense>(SUSPENSE, [mode, before.toISOString(), currencies]);
  assert(row, 'a count has one row');
  return row;
}
