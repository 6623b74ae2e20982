/** Quotes: prices that are valid for a limited time. */
import type { Statement, Tx } from '../connection/database.ts';

/** A quote; amounts as decimal text. */
export interface QuoteRow {
  readonly id: string;
  readonly template: string;
  /** Raw ledger code of the crypto. */
  readonly currency: string;
  readonly quote: string;
  readonly refQuote: string;
  readonly brlAmount: string;
  readonly fees: string;
  readonly cryptoAmount: string;
  readonly networkFee: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const COLUMNS = `id, template, currency, quote, ref_quote as "refQuote", brl_amount as "brlAmount", fees,
  crypto_amount as "cryptoAmount", network_fee as "networkFee", created_at as "createdAt", expires_at as "expiresAt"`;
const ADD: Statement = {
  name: 'quote_add',
  text: `insert into quote (account_id, id, template, currency, quote, ref_quote, brl_amount, fees, crypto_amount, network_fee, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${COLUMNS}`,
};
const FIND: Statement = {
  name: 'quote_find',
  text: `select ${COLUMNS} from quote where account_id = $1 and id = $2 and used_at is null`,
};
const USE: Statement = {
  name: 'quote_use',
  text: `update quote set used_at = $3 where account_id = $1 and id = $2 and used_at is null returning id`,
};

/** Stores a quote. */
export async function addQuote(database: Tx, accountId: bigint, quote: QuoteRow): Promise<QuoteRow> {
  const [row] = await database.query<QuoteRow>(ADD, [
    accountId,
    quote.id,
    quote.template,
    quote.currency,
    quote.quote,
    quote.refQuote,
    quote.brlAmount,
    quote.fees,
    quote.cryptoAmount,
    quote.networkFee,
    quote.createdAt,
    quote.expiresAt,
  ]);
  return row as QuoteRow;
}

/** @returns the account's unused quote with this id. */
export async function findQuote(database: Tx, accountId: bigint, id: string): Promise<QuoteRow | undefined> {
  const [row] = await database.query<QuoteRow>(FIND, [accountId, id]);
  return row;
}

/** Marks a quote as used. @returns whether it was unused. */
export async function useQuote(tx: Tx, accountId: bigint, id: string, at: Date): Promise<boolean> {
  return (await tx.query(USE, [accountId, id, at])).length > 0;
}
