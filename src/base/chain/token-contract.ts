/** Chain data of a token from the catalogue: contract by raw ledger code, native coin by network, and EVM chain ids. */
import { CURRENCIES, NETWORKS, type Network } from '../money/currency.ts';

/** Contract or mint of each token of the catalogue by its raw ledger code. Coins of a chain have no contract. */
export const TOKEN_CONTRACTS: ReadonlyMap<string, string> = new Map(
  CURRENCIES.flatMap(({ code, contract }) => (contract === undefined ? [] : [[code, contract]])),
);

/** The native coin of each network. */
export const NATIVE_ASSETS: ReadonlyMap<string, string> = byNetwork(({ coin }) => coin);

/** Chain ids. A network is an EVM network exactly if it is listed here. */
export const EVM_CHAIN_IDS: ReadonlyMap<string, number> = byNetwork(({ chainId }) => chainId);

const CODE_BY_CONTRACT = new Map([...TOKEN_CONTRACTS].map(([code, contract]) => [contract, code]));

/** @returns raw ledger code of the token with this contract, in canonical form, or undefined. */
export function tokenOfContract(canonical: string): string | undefined {
  return CODE_BY_CONTRACT.get(canonical);
}

/** @returns a property by network, for the networks that have it. */
function byNetwork<Value>(memberOf: (network: Network) => Value | undefined): ReadonlyMap<string, Value> {
  return new Map(
    Object.entries(NETWORKS).flatMap(([name, network]) => {
      const value = memberOf(network);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
