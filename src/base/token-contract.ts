/**
 * What a token is on its chain: contract or mint address by raw ledger code, the chain's own coin by network,
 * and EVM chain ids. An address here is the identity of the money: a token of the same name elsewhere is
 * another token.
 */

/**
 * Contract (TRON, EVM) or mint (Solana) of each token of the catalogue by its raw ledger code, in the
 * canonical form of the network. Coins of a chain have none. Published by the issuers: Tether "Supported
 * Protocols", Circle "USDC Contract Addresses"; USDT on BSC is the Binance-Peg token.
 */
export const TOKEN_CONTRACTS: ReadonlyMap<string, string> = new Map([
  ['USDT_TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDT_ETH', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['USDC_ETH', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
  ['USDT_POLYGON', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
  ['USDC_POLYGON', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
  ['USDC_BASE', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['USDT_BSC', '0x55d398326f99059fF775485246999027B3197955'],
  ['USDT_SOL', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  ['USDC_SOL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
]);

/** The coin in which each network counts value by itself; every other asset there needs a contract. */
export const NATIVE_ASSETS: ReadonlyMap<string, string> = new Map([
  ['TRX', 'TRX'],
  ['ETH', 'ETH'],
  ['POLYGON', 'POL'],
  ['BASE', 'ETH'],
  ['BSC', 'BNB'],
  ['SOL', 'SOL'],
  ['BTC', 'BTC'],
]);

/** Chain ids (EIP-155; registry ethereum-lists/chains). A network is an EVM one exactly when it is here. */
export const EVM_CHAIN_IDS: ReadonlyMap<string, number> = new Map([
  ['ETH', 1],
  ['POLYGON', 137],
  ['BASE', 8453],
  ['BSC', 56],
]);

const CODE_BY_CONTRACT = new Map([...TOKEN_CONTRACTS].map(([code, contract]) => [contract, code]));

/** @returns raw ledger code of the token whose contract the canonical address is, or undefined. */
export function tokenOfContract(canonical: string): string | undefined {
  return CODE_BY_CONTRACT.get(canonical);
}
