/** The catalogue of currencies (`contract.md` section 9). */

import { assert } from '../errors/assert.ts';

/** A currency of the ledger: an asset on a network, or BRL. */
export interface Currency {
  /** Raw ledger code, `<ASSET>_<NETWORK>` or `BRL`. */
  readonly code: string;
  readonly asset: string;
  /** Empty for BRL. */
  readonly network: string;
  /** Decimals of the minor unit, of the asset on its network. */
  readonly decimals: number;
  /** `<ASSET> (<NETWORK>)`, for BRL plain `BRL`. */
  readonly displayName: string;
  /** Maximum lifetime of a price, seconds (C-21). */
  readonly lockSeconds: number;
  /** Segments of the ledger account code: asset, network. */
  readonly segments: readonly [asset: number, network: number];
  /** Contract (TRON, EVM) or mint (Solana) of a token, in the canonical form of the network; a coin has none. */
  readonly contract?: string;
}

/** Segment of each asset in ledger account codes. A new asset needs a line here. */
const ASSETS = { USDT: 1, BRL: 2, USDC: 3, TRX: 4, ETH: 5, BTC: 6, POL: 7, BNB: 8, SOL: 9 } as const;
/** Name of an asset of the catalogue. */
export type Asset = keyof typeof ASSETS;
/**
 * Properties of a network. A new EVM network needs a line here; any other also needs its address form (address.ts).
 */
export interface Network {
  /** Name in wallets and among people. */
  readonly title: string;
  /** Token standard of the network, which wallets show next to the title. */
  readonly standard?: string;
  /** Segment of the ledger account code. */
  readonly segment: number;
  /** Page of the block explorer, before the hash of a transaction. */
  readonly explorer: string;
  /** The native coin of the network; every other asset there needs a contract. */
  readonly coin: string;
  /** Chain id of EVM networks (EIP-155; registry ethereum-lists/chains). */
  readonly chainId?: number;
  /** For EVM networks: the maximum gas price, unless settings change it. Gwei. */
  readonly maxGasGwei?: string;
  /** Other names of the network. */
  readonly aliases: readonly string[];
}

/** Every network, by its name. */
export const NETWORKS: Readonly<Record<string, Network>> = {
  TRX: {
    title: 'TRON',
    standard: 'TRC-20',
    segment: 1,
    explorer: 'https://tronscan.org/#/transaction/',
    coin: 'TRX',
    aliases: ['TRC20', 'TRON'],
  },
  ETH: {
    title: 'Ethereum',
    standard: 'ERC-20',
    segment: 2,
    explorer: 'https://etherscan.io/tx/',
    coin: 'ETH',
    chainId: 1,
    maxGasGwei: '200',
    aliases: ['ERC20', 'ETHEREUM'],
  },
  POLYGON: {
    title: 'Polygon',
    segment: 3,
    explorer: 'https://polygonscan.com/tx/',
    coin: 'POL',
    chainId: 137,
    maxGasGwei: '1500',
    aliases: ['MATIC'],
  },
  BASE: {
    title: 'Base',
    segment: 4,
    explorer: 'https://basescan.org/tx/',
    coin: 'ETH',
    chainId: 8453,
    maxGasGwei: '20',
    aliases: [],
  },
  BSC: {
    title: 'BNB Smart Chain',
    standard: 'BEP-20',
    segment: 7,
    explorer: 'https://bscscan.com/tx/',
    coin: 'BNB',
    chainId: 56,
    maxGasGwei: '20',
    aliases: ['BEP20'],
  },
  SOL: {
    title: 'Solana',
    standard: 'SPL',
    segment: 8,
    explorer: 'https://solscan.io/tx/',
    coin: 'SOL',
    aliases: ['SOLANA', 'SPL'],
  },
  BTC: {
    title: 'Bitcoin',
    segment: 10,
    explorer: 'https://mempool.space/tx/',
    coin: 'BTC',
    aliases: ['BITCOIN'],
  },
};

/** The lock time of C-21. */
const LOCK_SECONDS = 1_800;

/** BRL, the only fiat currency. */
export const BRL: Currency = {
  code: 'BRL',
  asset: 'BRL',
  network: '',
  decimals: 2,
  displayName: 'BRL',
  lockSeconds: LOCK_SECONDS,
  segments: [ASSETS.BRL, 0],
};

/**
 * Every currency that can be used, BRL first. A contract is the identity of the money: a token of the same name elsewhere is
 * another token. Published by the issuers: Tether "Supported Protocols", Circle "USDC Contract Addresses"; USDT on BSC is
 * the Binance-Peg token.
 */
export const CURRENCIES: readonly Currency[] = [
  BRL,
  token('USDT', 'TRX', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  token('TRX', 'TRX', 6),
  token('USDT', 'ETH', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  token('USDC', 'ETH', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  token('ETH', 'ETH', 18),
  token('USDT', 'POLYGON', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  token('USDC', 'POLYGON', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  token('USDC', 'BASE', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  token('USDT', 'BSC', 18, '0x55d398326f99059fF775485246999027B3197955'),
  token('USDT', 'SOL', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  token('USDC', 'SOL', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  token('BTC', 'BTC', 8),
];

/** Coins that only pay network fees, held only by house accounts. */
const GAS_COINS: readonly Currency[] = [
  token('POL', 'POLYGON', 18),
  token('ETH', 'BASE', 18),
  token('BNB', 'BSC', 18),
  token('SOL', 'SOL', 9),
];

const BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]));
const RAW_CODE = /^([A-Z0-9]{2,12})_([A-Z0-9]{2,12})$/;
/** Decimals of currencies that occur only in imported history: as many as the finest known currency has. */
const UNLISTED_DECIMALS = 18;

/** @returns the currency of a raw ledger code, or undefined when the catalogue does not have it. */
export function currencyOf(code: string): Currency | undefined {
  return BY_CODE.get(code);
}

/** @returns the name of a currency as a person typed it, in the spelling of the catalogue: `brl` and `Usdt_trx` in capitals. */
export function typedCurrency(text: string): string {
  return text.trim().toUpperCase();
}

/**
 * Finds the currencies that a text can mean: raw code (`USDT_TRX`), display name (`USDT (TRX)`), or the asset alone if it
 * exists on one network only (C-6).
 *
 * @returns all matches: none for an unknown text, several for an ambiguous one.
 */
export function currenciesMeant(text: string): readonly Currency[] {
  const exact = CURRENCIES.find((currency) => currency.code === text || currency.displayName === text);
  return exact ? [exact] : CURRENCIES.filter((currency) => currency.asset === text);
}

/**
 * Returns the currency of a raw code that history may name although the catalogue does not.
 * @returns undefined when the text does not have the form of a raw ledger code.
 */
export function currencyOfHistory(code: string): Currency | undefined {
  const known = currencyOf(code) ?? GAS_COINS.find((coin) => coin.code === code);
  if (known) return known;
  const parts = RAW_CODE.exec(code);
  return parts ? currencyNamed(parts[1] as string, parts[2] as string, UNLISTED_DECIMALS) : undefined;
}

/** @returns the currency of a ledger account, whose code always has the right form. */
export function currencyOfLedger(code: string): Currency {
  const currency = currencyOfHistory(code);
  assert(currency, `${code} is a raw ledger code`);
  return currency;
}

/** @returns the network of a currency as people call it: `TRON`; empty for BRL. */
export function networkTitle({ network }: Pick<Currency, 'network'>): string {
  return NETWORKS[network]?.title ?? network;
}

/** @returns the network's name in wallets: `TRON (TRC-20)`; a coin has no standard. */
export function networkName(currency: Currency): string {
  const { standard, coin } = NETWORKS[currency.network] ?? {};
  const title = networkTitle(currency);
  return standard && coin !== currency.asset ? `${title} (${standard})` : title;
}

/** @returns the block explorer's page of an on-chain transaction; undefined if the network has none. */
export function explorerUrl(currencyCode: string, txHash: string): string | undefined {
  const network = NETWORKS[BY_CODE.get(currencyCode)?.network ?? ''];
  return network && network.explorer + txHash;
}

/** A currency of the catalogue: the type of its asset keeps it from an account code without a segment. */
function token(asset: Asset, network: string, decimals: number, contract?: string): Currency {
  return currencyNamed(asset, network, decimals, contract);
}

function currencyNamed(asset: string, network: string, decimals: number, contract?: string): Currency {
  return {
    code: `${asset}_${network}`,
    asset,
    network,
    decimals,
    displayName: `${asset} (${network})`,
    lockSeconds: LOCK_SECONDS,
    segments: [ASSETS[asset as Asset] ?? 0, NETWORKS[network]?.segment ?? 0],
    ...(contract !== undefined && { contract }),
  };
}
