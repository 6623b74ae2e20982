/** One node of TRON, with the queries that all networks share. */
import { hex } from '@scure/base';
import { addressBytes } from '../../base/chain/address.ts';
import { inParts } from '../../base/concurrency/in-parts.ts';
import type { Currency } from '../../base/money/currency.ts';
import { encodeTokenTransfer } from '../../chains/token-transfer.ts';
import { encodeTronTransaction, type TronTransaction } from '../../chains/tron-transaction.ts';
import {
  type Block,
  type GasPrice,
  type Holding,
  type Movement,
  MovementRefused,
  type NetworkDriver,
  type Signed,
  type TransactionStatus,
  type Unsigned,
} from '../chain/driver.ts';
import { NodeUnavailable, recordOf } from '../chain/node.ts';
import { amountOf, bytesOf, countOf, hexOf, listOf, type TronApi } from './api.ts';
import { arrivalsIn, blockOf, changesIn, transfersIn } from './blocks.ts';

/** Cost limits, and the lifetime of a transaction. */
export interface TronTerms {
  /** Maximum price of the energy of one transfer. Unit: sun. */
  readonly maxFeeLimit: bigint;
}

/** Id of block 0 of the main network, which identifies the network. */
const FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
/**
 * Lifetime of a transaction after the newest block. An expired transaction can never be included, so the order may be
 * made anew. Unit: ms.
 */
const VALID_FOR_MS = 60_000;
/** Time after its expiry from which a transaction counts as expired: a node's answer may be a few blocks old. Unit: ms. */
const BEHIND_MS = 30_000;
/** Time after which no block includes a transaction that was signed before. Unit: ms. */
export const VALID_MS = VALID_FOR_MS + BEHIND_MS;
/** Energy of a transfer to an address without the token, for cost estimates. */
export const TOKEN_ENERGY = 131_000n;
/** Energy limit as a percentage of the estimate, since a contract may need slightly more when it runs. */
const ENERGY_PERCENT = 130n;
/** Bandwidth cost of a signed token transfer without any free bandwidth, at 1,000 sun a byte. Unit: sun. */
const TOKEN_BANDWIDTH = 400_000n;
const COIN_BANDWIDTH = 300_000n;
/** Extra cost of the first transfer of TRX to an address. Unit: sun. */
const NEW_ACCOUNT = 1_100_000n;
const TRANSFER = 'transfer(address,uint256)';
const BALANCE_OF = 'balanceOf(address)';

/** @returns the cost of a transfer without free energy or bandwidth. Unit: sun. */
export function transferCost({ contract }: Currency, { base }: GasPrice): bigint {
  return contract === undefined ? COIN_BANDWIDTH + NEW_ACCOUNT : TOKEN_ENERGY * base + TOKEN_BANDWIDTH;
}

/** @param api - calls one node. */
export function createTronDriver(api: TronApi, terms: TronTerms): NetworkDriver {
  const block = (height: number) => blockAt(api, height);
  const solid = async () => blockOf(await api.call('walletsolidity/getnowblock', {}));
  return {
    provider: api.provider,
    check: async () => {
      const first = await block(0);
      if (first?.hash !== FIRST_BLOCK)
        throw new Error(`expected the main network of TRON, got the one that begins with ${first?.hash}`);
    },
    head: async () => blockOf(await api.call('wallet/getnowblock', {})),
    block,
    finalHeight: async () => (await solid()).height,
    arrivals: (range, addresses) => arrivalsIn(api, range, addresses),
    transfers: (range, addresses) => transfersIn(api, range, addresses),
    balance: (address, currency) => balanceOf(api, address, currency, 'wallet'),
    balancesAt: (height, holdings, addresses) => balancesAt(api, height, holdings, { addresses, solid }),
    gasPrice: async () => ({ base: await energyPrice(api), tip: 0n }),
    nextNonce: async () => null,
    pendingNonce: async () => null,
    build: async (movement, _nonce, price) => build(api, terms, { movement, price, solid: await solid() }),
    broadcast: (raw) => broadcast(api, raw),
    status: (signed) => statusOf(api, signed, solid, block),
  };
}

async function blockAt(api: TronApi, height: number): Promise<Block | undefined> {
  const found = recordOf(
    await api.call('wallet/getblock', { id_or_num: String(height), detail: false }),
    'block',
  );
  return Object.keys(found).length === 0 ? undefined : blockOf(found);
}

/** State to query: the newest one, or that of the last final block. */
type State = 'wallet' | 'walletsolidity';

async function balanceOf(
  api: TronApi,
  address: string,
  { contract }: Currency,
  state: State,
): Promise<bigint> {
  if (contract === undefined) {
    const account = recordOf(await api.call(`${state}/getaccount`, { address: hexOf(address) }), 'account');
    return amountOf(account.balance, 'balance');
  }
  const word = hex.encode(addressBytes('TRX', address)).padStart(64, '0');
  const { constant_result } = await constantCall(api, { from: address, contract, state }, BALANCE_OF, word);
  const [balance] = listOf(constant_result, 'balance');
  return BigInt(`0x${bytesOf(balance, 'balance', 32)}`);
}

/**
 * Computes balances after a block. Nodes report only balances of their last final block, so later movements are
 * subtracted.
 */
async function balancesAt(
  api: TronApi,
  height: number,
  holdings: readonly Holding[],
  { addresses, solid }: { readonly addresses: ReadonlySet<string>; readonly solid: () => Promise<Block> },
): Promise<readonly bigint[]> {
  const before = (await solid()).height;
  if (before < height)
    throw new NodeUnavailable(`the last final block is ${before}, and ${height} was requested`);
  const found = await inParts(holdings, ({ address, currency }) =>
    balanceOf(api, address, currency, 'walletsolidity'),
  );
  const after = (await solid()).height;
  const changes = await changesIn(api, { from: height + 1, to: after }, addresses);
  if (changes.some((each) => each.height > before))
    throw new NodeUnavailable('the balances changed while they were read; send the request again');
  const since = Map.groupBy(changes, ({ address, currency }) => `${currency} ${address}`);
  return found.map((minor, index) => {
    const { address, currency } = holdings[index] as Holding;
    const moved = since.get(`${currency.code} ${address}`) ?? [];
    return moved.reduce((left, each) => left - each.minor, minor);
  });
}

/** A call of a contract. */
interface Call {
  readonly from: string;
  readonly contract: string;
  readonly state: State;
}

/** Simulates a call. @throws {MovementRefused} if the contract would refuse the call. */
async function constantCall(api: TronApi, { from, contract, state }: Call, call: string, parameter: string) {
  const answer = recordOf(
    await api.call(`${state}/triggerconstantcontract`, {
      owner_address: hexOf(from),
      contract_address: hexOf(contract),
      function_selector: call,
      parameter,
    }),
    call,
  );
  const { result, message } = recordOf(answer.result, 'result');
  const text = typeof message === 'string' ? Buffer.from(message, 'hex').toString('utf8') : '';
  if (/revert/i.test(text)) throw new MovementRefused(text.slice(0, 200));
  if (result !== true || text !== '') throw new NodeUnavailable(`${call}: ${text || 'no result'}`);
  return answer;
}

/** @returns the price of one unit of energy. Unit: sun. */
async function energyPrice(api: TronApi): Promise<bigint> {
  const { chainParameter } = recordOf(await api.call('wallet/getchainparameters', {}), 'parameters');
  const found = listOf(chainParameter, 'parameters')
    .map((each) => recordOf(each, 'parameter'))
    .find(({ key }) => key === 'getEnergyFee');
  const price = amountOf(found?.value, 'energy price');
  if (price === 0n) throw new NodeUnavailable('parameters: expected the price of energy');
  return price;
}

/** Input of a transaction. */
interface Order {
  readonly movement: Movement;
  readonly price: GasPrice;
  readonly solid: Block;
}

/**
 * Builds a transaction. It refers to a final block, so that no reorganisation invalidates it, and expires soon after
 * the newest block.
 */
async function build(api: TronApi, terms: TronTerms, { movement, price, solid }: Order): Promise<Unsigned> {
  const { from, to, currency, amountMinor } = movement;
  const head = blockOf(await api.call('wallet/getnowblock', {}));
  const id = hex.decode(solid.hash);
  const at = {
    refBlockBytes: id.slice(6, 8),
    refBlockHash: id.slice(8, 16),
    expiration: BigInt(head.atMs + VALID_FOR_MS),
    timestamp: BigInt(timeOfItsOwn()),
  };
  const made = (order: TronTransaction['order'], costMinor: bigint): Unsigned => ({
    unsigned: encodeTronTransaction({ ...at, order }),
    nonce: null,
    costMinor,
    expiresAtMs: Number(at.expiration),
  });
  const { contract } = currency;
  if (contract === undefined) {
    const order = { kind: 'transfer', from, to, amount: amountMinor } as const;
    return made(order, COIN_BANDWIDTH + ((await isNew(api, to)) ? NEW_ACCOUNT : 0n));
  }
  const data = encodeTokenTransfer({ to: addressBytes('TRX', to), amount: amountMinor });
  const { energy, free } = await energyOf(api, from, contract, data);
  const feeLimit = energy * price.base;
  if (feeLimit > terms.maxFeeLimit)
    throw new Error(`the energy costs ${feeLimit} sun, and ${terms.maxFeeLimit} is allowed`);
  const burned = energy > free ? (energy - free) * price.base : 0n;
  return made({ kind: 'call', from, contract, data, feeLimit }, burned + TOKEN_BANDWIDTH);
}

let lastTime = 0;

/** @returns a unique time, which distinguishes two transfers of the same amount to the same address. */
function timeOfItsOwn(): number {
  lastTime = Math.max(Date.now(), lastTime + 1);
  return lastTime;
}

async function isNew(api: TronApi, address: string): Promise<boolean> {
  const account = recordOf(await api.call('wallet/getaccount', { address: hexOf(address) }), 'account');
  return Object.keys(account).length === 0;
}

/** Energy of a transfer, and the sender's free part of it. */
async function energyOf(api: TronApi, from: string, contract: string, data: Uint8Array) {
  const parameter = hex.encode(data.slice(4));
  const [answer, resources] = await Promise.all([
    constantCall(api, { from, contract, state: 'wallet' }, TRANSFER, parameter),
    api.call('wallet/getaccountresource', { address: hexOf(from) }),
  ]);
  const { EnergyLimit, EnergyUsed } = recordOf(resources, 'resources');
  const free = amountOf(EnergyLimit, 'energy') - amountOf(EnergyUsed, 'energy');
  const energy = (amountOf(answer.energy_used, 'energy') * ENERGY_PERCENT) / 100n;
  return { energy, free: free > 0n ? free : 0n };
}

async function broadcast(api: TronApi, raw: string): Promise<void> {
  const answer = recordOf(await api.call('wallet/broadcasthex', { transaction: raw }), 'broadcast');
  // The node may have the transaction already.
  if (answer.result === true || answer.code === 'DUP_TRANSACTION_ERROR') return;
  const { code, message } = answer;
  throw new Error(
    `${String(code)}: ${Buffer.from(String(message ?? ''), 'hex').toString('utf8')}`.slice(0, 200),
  );
}

/** Queries the final block first: if that block rules the transaction out, no later answer can contradict it. */
async function statusOf(
  api: TronApi,
  { hash, expiresAtMs }: Signed,
  solid: () => Promise<Block>,
  block: NetworkDriver['block'],
): Promise<TransactionStatus> {
  const final = await solid();
  const settled = await infoOf(api, 'walletsolidity', hash);
  const info = settled ?? (await infoOf(api, 'wallet', hash));
  if (!info) {
    const isOver = expiresAtMs !== null && final.atMs >= expiresAtMs + BEHIND_MS;
    return { state: isOver ? 'never' : 'open' };
  }
  const at = await block(info.height);
  if (!at) return { state: 'open' };
  const { isDone, gasMinor } = info;
  const state = settled && info.height <= final.height ? 'final' : 'included';
  return { state, block: { height: at.height, hash: at.hash }, isDone, gasMinor };
}

async function infoOf(api: TronApi, where: 'wallet' | 'walletsolidity', hash: string) {
  const info = recordOf(await api.call(`${where}/gettransactioninfobyid`, { value: hash }), 'info');
  if (info.id === undefined) return undefined;
  if (bytesOf(info.id, 'id', 32) !== hash)
    throw new NodeUnavailable(`info: of another transaction than ${hash}`);
  const { result } = info.receipt === undefined ? {} : recordOf(info.receipt, 'receipt');
  return {
    height: countOf(info.blockNumber, 'height'),
    // Transfers of TRX have no contract result.
    isDone: info.result !== 'FAILED' && (result === undefined || result === 'SUCCESS'),
    gasMinor: amountOf(info.fee, 'fee'),
  };
}
