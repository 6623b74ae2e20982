/** Posts journals. All changes of balances happen in this file. */
import { assert } from '../../base/errors/assert.ts';
import { type Journal, journalHash, sheetOf } from '../../ledger/posting.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { openLedgerAccounts } from './history.ts';

/** A journal to post. */
export interface PostRequest {
  readonly accountId: bigint;
  /** Idempotency key within the account: the same ref posts once. */
  readonly ref: string;
  readonly transactionId: bigint | null;
  readonly journal: Journal;
}

/** The result of a request; the codes are those of `ledger_post` (docs/ledger.md). */
export interface PostOutcome {
  readonly code:
    | 'POSTED'
    | 'DUPLICATE'
    | 'REF_CONFLICT'
    | 'UNKNOWN_LEDGER_ACCOUNT'
    | 'UNBALANCED'
    | 'INSUFFICIENT_BALANCE';
  readonly journalId: bigint | null;
}

const ACCOUNT_IDS: Statement = {
  name: 'posting_account_ids',
  text: `select account_id as "accountId", id, currency, sub_account as "subAccount", house from ledger_account
    where account_id = any ($1::bigint[]) and currency = any ($2::text[])`,
};
const POST: Statement = {
  name: 'ledger_post',
  text: `select code, journal_id as "journalId" from ledger_post($1::bigint[], $2::text[], $3::bytea[], $4::text[], $5::bigint[],
    $6::timestamptz, $7::int[], $8::bigint[], $9::numeric[]) order by ix`,
};

/**
 * Posts journals in one statement, in the given order. Each is posted completely or not at all, independently of the
 * others. Ledger accounts that do not exist yet are opened.
 * @param requests - requests in which no account has the same ref twice.
 * @param at - time of the journals, raised to that of the account's newest journal if necessary.
 */
export async function postJournals(
  tx: Tx,
  requests: readonly PostRequest[],
  at: Date,
): Promise<PostOutcome[]> {
  const idOf = await openAccounts(tx, requests);
  const lines = requests.flatMap(({ accountId, journal }, index) =>
    journal.postings.map((posting) => ({
      journal: index + 1,
      ledgerAccountId: idOf(keyOf(accountId, sheetOf(accountId, posting))),
      delta: posting.deltaMinor,
    })),
  );
  return tx.query<PostOutcome>(POST, [
    requests.map(({ accountId }) => accountId),
    requests.map(({ ref }) => ref),
    requests.map(({ journal }) => journalHash(journal)),
    requests.map(({ journal }) => journal.name),
    requests.map(({ transactionId }) => transactionId),
    at,
    lines.map((line) => line.journal),
    lines.map((line) => line.ledgerAccountId),
    lines.map((line) => line.delta),
  ]);
}

interface LinePosition {
  readonly currency: string;
  readonly subAccount: number;
  readonly house: string | null;
}

function keyOf(accountId: bigint, { currency, subAccount, house }: LinePosition): string {
  return `${accountId} ${currency} ${house ?? subAccount}`;
}

async function openAccounts(tx: Tx, requests: readonly PostRequest[]): Promise<(key: string) => bigint> {
  const sheets = new Map(
    requests.flatMap(({ accountId, journal }) =>
      journal.postings.map((posting) => {
        const sheet = sheetOf(accountId, posting);
        return [keyOf(accountId, sheet), { accountId, sheet }] as const;
      }),
    ),
  );
  const known = await readIds(tx, [...sheets.values()]);
  const missing = [...sheets].filter(([key]) => !known.has(key)).map(([, each]) => each);
  for (const [accountId, opened] of Map.groupBy(missing, (each) => each.accountId)) {
    await openLedgerAccounts(
      tx,
      accountId,
      opened.map(({ sheet }) => ({ ...sheet, id: null })),
    );
  }
  const ids = missing.length > 0 ? await readIds(tx, [...sheets.values()]) : known;
  return (key) => {
    const id = ids.get(key);
    assert(id !== undefined, `ledger account ${key} is open`);
    return id;
  };
}

async function readIds(
  tx: Tx,
  positions: readonly { accountId: bigint; sheet: LinePosition }[],
): Promise<Map<string, bigint>> {
  const rows = await tx.query<LinePosition & { accountId: bigint; id: bigint }>(ACCOUNT_IDS, [
    [...new Set(positions.map(({ accountId }) => accountId))],
    [...new Set(positions.map(({ sheet }) => sheet.currency))],
  ]);
  return new Map(rows.map((row) => [keyOf(row.accountId, row), row.id]));
}
