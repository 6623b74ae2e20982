/** Rows of the hand-written server, and their values as the text of JSON. */
import { CURRENCIES } from '../../src/base/money/currency.ts';

/** A row, every value as PostgreSQL prints it. */
export type Row = Record<string, string>;
/** Runs a named statement. */
export type Query = (name: string, text: string, values: unknown[]) => Promise<Row[]>;

/** The columns of a transaction, of table alias `t`. */
export const TRANSACTION = `t.end2end, t.component, t.state, t.template, t.created_at, t.updated_at, t.error_en, t.error_pt,
  t.quote, t.ref_quote, t.fees, t.source_currency, t.source_amount, t.target_currency, t.target_amount, t.network_fee,
  t.exact_deposit_amount, t.pix_e2e, t.pix_key, t.pix_key_type, t.client_name, t.client_tax_id, t.expires_at, t.return_url,
  t.external_code, t.webhook, t.fixed_link, t.wallet, t.deposit_address, t.tx_hash, t.group_id, t.notes`;

/** What currencies are called, by their code; as JSON. */
export const names = new Map(CURRENCIES.map(({ code, displayName }) => [code, JSON.stringify(displayName)]));
export const assets = new Map(CURRENCIES.map(({ code, asset }) => [code, JSON.stringify(asset)]));
export const EXPLORERS: Record<string, string> = {
  USDT_TRX: 'https://tronscan.org/#/transaction/',
  USDC_POLYGON: 'https://polygonscan.com/tx/',
  BTC_BTC: 'https://mempool.space/tx/',
};

/** @returns an instant in whole seconds. */
export function time(value: string): string {
  return `${value.slice(0, 10)}T${value.slice(11, 19)}Z`;
}

/** @returns a decimal without zeros at its end, as JSON. */
export function trim(value: string | null | undefined): string {
  if (value == null) return 'null';
  if (!value.includes('.')) return value;
  let end = value.length;
  while (value.charCodeAt(end - 1) === 48) end--;
  if (value.charCodeAt(end - 1) === 46) end--;
  return value.slice(0, end);
}

/** Half up; all values here are above zero. */
export function rounded(value: string | undefined): string {
  const [whole = '0', fraction = ''] = (value ?? '').split('.');
  return fraction.charCodeAt(0) >= 53 ? String(BigInt(whole) + 1n) : whole;
}

/** @returns minor units as a decimal. */
export function decimal(minor: string, scale: number): string {
  const digits = minor.padStart(scale + 1, '0');
  return trim(`${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}
