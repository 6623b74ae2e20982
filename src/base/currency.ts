/** The catalogue of currencies (`contract.md` section 9). */

import { assert } from './assert.ts';

/** A currency of the ledger: an asset on a network, or BRL. */
export interface Currency {
  /** Raw ledger code, `<ASSET>_<NETWORK>` or `BRL`. */
  readonly code: string;
  readonly asset: string;
  /** Empty for BRL. */
  readonly network: string;
  /** Decimals of the minor unit: they belong to the asset on its network. */
  readonly decimals: number;
  /** `<ASSET> (<NETWORK>)`, for BRL plain `BRL`. */
  readonly displayName: string;
  /** How long a price of it holds at most, seconds (C-21). */
  readonly lockSeconds: number;
  /** Segments of the ledger account code: asset, network. */
  readonly segments: readonly [asset: number, network: number];
}

const ASSETS = { USDT: 1, BRL: 2, USDC: 3, TRX: 4, ETH: 5, BTC: 6 } as const;
const NETWORKS = {
  TRX: { segment: 1, explorer: 'https://tronscan.org/#/transaction/' },
  ETH: { segment: 2, explorer: 'https://etherscan.io/tx/' },
  POLYGON: { segment: 3, explorer: 'https://polygonscan.com/tx/' },
  BASE: { segment: 4, explorer: 'https://basescan.org/tx/' },
  BSC: { segment: 7, explorer: 'https://bscscan.com/tx/' },
  SOL: { segment: 8, explorer: 'https://solscan.io/tx/' },
  BTC: { segment: 10, explorer: 'https://mempool.space/tx/' },
} as const;

/** The lock time of C-21. */
const LOCK_SECONDS = 1_800;

/** BRL, the one fiat currency. */
export const BRL: Currency = {
  code: 'BRL',
  asset: 'BRL',
  network: '',
  decimals: 2,
  displayName: 'BRL',
  lockSeconds: LOCK_SECONDS,
  segments: [ASSETS.BRL, 0],
};

/** Every currency that can be used, BRL first. */
export const CURRENCIES: readonly Currency[] = [
  BRL,
  token('USDT', 'TRX', 6),
  token('TRX', 'TRX', 6),
  token('USDT', 'ETH', 6),
  token('USDC', 'ETH', 6),
  token('ETH', 'ETH', 18),
  token('USDT', 'POLYGON', 6),
  token('USDC', 'POLYGON', 6),
  token('USDC', 'BASE', 6),
  token('USDT', 'BSC', 18),
  token('USDT', 'SOL', 6),
  token('USDC', 'SOL', 6),
  token('BTC', 'BTC', 8),
];

const BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]));
const RAW_CODE = /^([A-Z0-9]{2,12})_([A-Z0-9]{2,12})$/;
/** Decimals of currencies that occur only in imported history: as fine as any that is known. */
const UNLISTED_DECIMALS = 18;

/** @returns the currency of a raw ledger code, or undefined when the catalogue does not have it. */
export function currencyOf(code: string): Currency | undefined {
  return BY_CODE.get(code);
}

/**
 * Finds what a caller means by a currency: raw code (`USDT_TRX`), display name (`USDT (TRX)`), or the asset alone
 * where it exists on one network only (C-6).
 *
 * @returns all currencies that the text may mean: none is unknown, several is ambiguous.
 */
export function currenciesMeant(text: string): readonly Currency[] {
  const exact = CURRENCIES.find((currency) => currency.code === text || currency.displayName === text);
  return exact ? [exact] : CURRENCIES.filter((currency) => currency.asset === text);
}

/**
 * The currency of a raw code that history may name although the catalogue does not.
 *
 * @returns undefined when the text does not have the form of a raw ledger code.
 */
export function currencyOfHistory(code: string): Currency | undefined {
  const known = currencyOf(code);
  if (known) return known;
  const parts = RAW_CODE.exec(code);
  return parts ? token(parts[1] as string, parts[2] as string, UNLISTED_DECIMALS) : undefined;
}

/** @returns the currency of a ledger account; every code in the ledger has the form of one. */
export function currencyOfLedger(code: string): Currency {
  const currency = currencyOfHistory(code);
  assert(currency, `${code} is a raw ledger code`);
  return currency;
}

/** @returns the block explorer's page of an on-chain transaction, or undefined where the network has none. */
export function explorerUrl(currencyCode: string, txHash: string): string | undefined {
  const network = BY_CODE.get(currencyCode)?.network as keyof typeof NETWORKS | '' | undefined;
  return network ? NETWORKS[network].explorer + txHash : undefined;
}

function token(asset: string, network: string, decimals: number): Currency {
  return {
    code: `${asset}_${network}`,
    asset,
    network,
    decimals,
    displayName: `${asset} (${network})`,
    lockSeconds: LOCK_SECONDS,
    segments: [
      ASSETS[asset as keyof typeof ASSETS] ?? 0,
      NETWORKS[network as keyof typeof NETWORKS]?.segment ?? 0,
    ],
  };
}
