/**
 * A node of TRON that lives in the test: blocks by hand, TRX and USDT, energy, final blocks 19 below the newest; and what goes wrong:
 * blocks that are rewritten, transactions that never get into one, calls that fail, answers that lie. Shapes are those of java-tron's HTTP API.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../../src/base/chain/address.ts';
import { TOKEN_CONTRACTS } from '../../src/base/chain/token-contract.ts';
import { decodeMessage } from '../../src/chains/protobuf.ts';
import { readTokenTransfer } from '../../src/chains/token-transfer.ts';
import { readTronTransaction, type TronTransaction, tronDigest } from '../../src/chains/tron-transaction.ts';

/** The contract of USDT. */
export const USDT_CONTRACT = TOKEN_CONTRACTS.get('USDT_TRX') as string;
const FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
const TRANSFER_EVENT = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const FINAL_BELOW = 19;
const BLOCK_MS = 3_000;
const ENERGY_PRICE = 100n;
const ENERGY = 64_285n;
const BANDWIDTH_FEE = 345_000n;

type Json = Record<string, unknown>;

interface Made {
  readonly id: string;
  readonly transaction: TronTransaction;
  readonly info: Json;
  readonly ret: string;
}

interface Block {
  readonly number: number;
  readonly id: string;
  readonly parent: string;
  readonly timestamp: number;
  readonly made: readonly Made[];
}

/** The node. */
export interface TronNode {
  readonly url: string;
  /** The same node as another provider, whose calls `answer` tells apart. */
  readonly secondUrl: string;
  /** Gives an address so much, outside of any block. */
  readonly give: (address: string, currency: 'TRX' | 'USDT', amount: bigint) => void;
  readonly balance: (address: string, currency: 'TRX' | 'USDT') => bigint;
  /** A transfer of somebody else; it is in the next block. @returns its id. */
  readonly pay: (
    from: string,
    to: string,
    currency: 'TRX' | 'USDT',
    amount: bigint,
    contract?: string,
  ) => string;
  /** Makes so many blocks, 3 seconds apart, with what waits. */
  readonly mine: (blocks?: number) => void;
  /** Puts other blocks in the place of the newest ones. What was in them waits again, or is lost. */
  readonly reorg: (depth: number, keeps?: 'waiting' | 'lost') => void;
  /** What was broadcast waits until it expires, and gets into no block. */
  readonly hold: (isHeld: boolean) => void;
  /** Energy of an address that costs nothing. */
  readonly stake: (address: string, energy: bigint) => void;
  /** The contract carries nothing out. */
  readonly freeze: (isFrozen: boolean) => void;
  /** Changes answers of a path, `second/…` those of the second provider; undefined lets them be. Throwing drops the connection. */
  readonly answer: (path: string, change: ((answer: Json, body: Json) => unknown) | undefined) => void;
  /** Ids of what was broadcast, in order, with repetitions. */
  readonly broadcasts: readonly string[];
  readonly close: () => Promise<void>;
}

/** @param now - time of the newest block, milliseconds. */
export async function startTronNode(now: () => number = Date.now): Promise<TronNode> {
  let chain: Block[] = [{ number: 0, id: FIRST_BLOCK, parent: '0'.repeat(64), timestamp: 0, made: [] }];
  let waiting: { id: string; transaction: TronTransaction }[] = [];
  let lost = new Set<string>();
  let isHeld = false;
  let isFrozen = false;
  let salt = 0;
  let timeMs = now();
  const balances = new Map<string, bigint>();
  const given = new Map<string, bigint>();
  const energy = new Map<string, bigint>();
  const changes = new Map<string, (answer: Json, body: Json) => unknown>();
  const broadcasts: string[] = [];
  const slot = (address: string, currency: string) => `${currency} ${address}`;
  const balance = (address: string, currency: string) => balances.get(slot(address, currency)) ?? 0n;
  const add = (address: string, currency: string, amount: bigint) =>
    balances.set(slot(address, currency), balance(address, currency) + amount);

  /** Balances are those of the chain as it is now. */
  const carryOut = (
    { id, transaction }: (typeof waiting)[number],
    number: number,
    timestamp: number,
  ): Made => {
    const { order } = transaction;
    const info: Json = {
      id,
      blockNumber: number,
      blockTimeStamp: timestamp,
      contractResult: [''],
      receipt: {},
    };
    const pay = (fee: bigint) => {
      add(order.from, 'TRX', -fee);
      if (fee > 0n) info.fee = Number(fee);
    };
    if (order.kind === 'transfer') {
      add(order.from, 'TRX', -order.amount);
      add(order.to, 'TRX', order.amount);
      pay(268_000n);
      return { id, transaction, info, ret: 'SUCCESS' };
    }
    const burned = ENERGY * ENERGY_PRICE;
    const isFree = (energy.get(order.from) ?? 0n) >= ENERGY;
    const moved = readTokenTransfer(order.data);
    const hasEnergy =
      order.feeLimit >= burned && (isFree || balance(order.from, 'TRX') >= burned + BANDWIDTH_FEE);
    const isKnown = order.contract === USDT_CONTRACT && moved !== undefined;
    const isDone = isKnown && hasEnergy && !isFrozen && balance(order.from, 'USDT') >= moved.amount;
    pay(isFree ? BANDWIDTH_FEE : hasEnergy ? burned + BANDWIDTH_FEE : order.feeLimit);
    const receipt = isDone ? 'SUCCESS' : hasEnergy ? 'REVERT' : 'OUT_OF_ENERGY';
    info.receipt = { energy_usage_total: Number(ENERGY), result: receipt };
    if (!isDone) info.result = 'FAILED';
    else {
      add(order.from, 'USDT', -moved.amount);
      add(tronAddress(moved.to), 'USDT', moved.amount);
      info.log = [logOf(order.contract, order.from, tronAddress(moved.to), moved.amount)];
    }
    return { id, transaction, info, ret: receipt };
  };

  const rebuild = (blocks: readonly Block[]) => {
    balances.clear();
    for (const [key, amount] of given) balances.set(key, amount);
    for (const { made } of blocks) for (const { info, transaction } of made) replay(transaction, info);
  };
  const replay = ({ order }: TronTransaction, info: Json) => {
    add(order.from, 'TRX', -BigInt((info.fee as number) ?? 0));
    if (info.result === 'FAILED') return;
    const moved = order.kind === 'call' ? readTokenTransfer(order.data) : undefined;
    const [to, currency, amount] =
      order.kind === 'transfer'
        ? [order.to, 'TRX', order.amount]
        : [tronAddress(moved?.to ?? new Uint8Array(20)), 'USDT', moved?.amount ?? 0n];
    add(order.from, currency, -amount);
    add(to, currency, amount);
  };

  const mineOne = () => {
    timeMs += BLOCK_MS;
    salt += 1;
    const parent = chain.at(-1) as Block;
    const number = parent.number + 1;
    const good = waiting.filter(({ transaction }) => Number(transaction.expiration) > parent.timestamp);
    const taken = isHeld ? [] : good.filter(({ id }) => !lost.has(id));
    waiting = isHeld ? good : [];
    const made = taken.map((each) => carryOut(each, number, timeMs));
    chain.push({ number, id: idOf(number, salt), parent: parent.id, timestamp: timeMs, made });
  };

  const push = (raw: string): Json => {
    const fields = new Map(decodeMessage(hex.decode(raw)));
    const [body, signature] = [fields.get(1) as Uint8Array, fields.get(2) as Uint8Array];
    const unsigned = hex.encode(body);
    const transaction = readTronTransaction(unsigned);
    const id = hex.encode(tronDigest(unsigned));
    broadcasts.push(id);
    if (signerOf(tronDigest(unsigned), signature) !== transaction.order.from)
      return refusal('SIGERROR', 'Validate signature error');
    const head = chain.at(-1) as Block;
    if (Number(transaction.expiration) <= head.timestamp)
      return refusal('TRANSACTION_EXPIRATION_ERROR', 'expired');
    if (!chain.some((block) => hex.encode(transaction.refBlockHash) === block.id.slice(16, 32)))
      return refusal('TAPOS_ERROR', 'Tapos check error');
    const isKnown =
      waiting.some((each) => each.id === id) || chain.some(({ made }) => made.some((each) => each.id === id));
    if (isKnown) return refusal('DUP_TRANSACTION_ERROR', 'dup transaction');
    waiting.push({ id, transaction });
    return { result: true, txid: id };
  };

  const infoOf = (id: unknown, upTo: number): Json =>
    chain
      .filter(({ number }) => number <= upTo)
      .flatMap(({ made }) => made)
      .find((each) => each.id === id)?.info ?? {};
  const solid = () => Math.max(0, chain.length - 1 - FINAL_BELOW);
  const at = (number: unknown) => chain[Number(number)];

  const calls: Record<string, (body: Json) => unknown> = {
    'wallet/getnowblock': () => blockJson(chain.at(-1) as Block, true),
    'walletsolidity/getnowblock': () => blockJson(chain[solid()] as Block, true),
    'wallet/getblock': ({ id_or_num, detail }) => {
      const block = at(id_or_num);
      return block ? blockJson(block, detail === true) : {};
    },
    'wallet/getblockbynum': ({ num }) => {
      const block = at(num);
      return block ? blockJson(block, true) : {};
    },
    'wallet/gettransactioninfobyblocknum': ({ num }) => at(num)?.made.map(({ info }) => info) ?? [],
    'wallet/gettransactioninfobyid': ({ value }) => infoOf(value, chain.length),
    'walletsolidity/gettransactioninfobyid': ({ value }) => infoOf(value, solid()),
    'wallet/getaccount': ({ address }) => {
      const there = balance(addressOf(address), 'TRX');
      return there > 0n ? { address, balance: Number(there) } : {};
    },
    'wallet/getaccountresource': ({ address }) => ({
      EnergyLimit: Number(energy.get(addressOf(address)) ?? 0n),
      EnergyUsed: 0,
    }),
    'wallet/getchainparameters': () => ({
      chainParameter: [
        { key: 'getMaintenanceTimeInterval' },
        { key: 'getEnergyFee', value: Number(ENERGY_PRICE) },
      ],
    }),
    'wallet/triggerconstantcontract': ({ owner_address, function_selector, parameter, contract_address }) => {
      if (addressOf(contract_address) !== USDT_CONTRACT)
        return { result: { result: true }, constant_result: [''], energy_used: 0 };
      const owner = addressOf(owner_address);
      if (function_selector === 'balanceOf(address)') {
        const whose = tronAddress(hex.decode(String(parameter).slice(-40)));
        return {
          result: { result: true },
          energy_used: 935,
          constant_result: [balance(whose, 'USDT').toString(16).padStart(64, '0')],
        };
      }
      const amount = BigInt(`0x${String(parameter).slice(64)}`);
      const isTaken = !isFrozen && balance(owner, 'USDT') >= amount;
      return isTaken
        ? { result: { result: true }, energy_used: Number(ENERGY), constant_result: [`${'0'.repeat(63)}1`] }
        : {
            result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
            energy_used: 600,
            constant_result: [''],
          };
    },
    'wallet/broadcasthex': ({ transaction }) => push(String(transaction)),
    'walletsolidity/getaccount': (body) => asOfFinal(() => calls['wallet/getaccount']?.(body)),
    'walletsolidity/triggerconstantcontract': (body) =>
      asOfFinal(() => calls['wallet/triggerconstantcontract']?.(body)),
  };
  /** What a call answers by the last final block. */
  const asOfFinal = (call: () => unknown): unknown => {
    rebuild(chain.slice(0, solid() + 1));
    try {
      return call();
    } finally {
      rebuild(chain);
    }
  };

  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    request.on('end', () => {
      try {
        const path = (request.url ?? '').slice(1);
        const body = JSON.parse(text) as Json;
        const answer = calls[path.replace('second/', '')]?.(body);
        if (answer === undefined) throw new Error(`there is no ${path}`);
        const change = changes.get(path);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(change ? change(structuredClone(answer) as Json, body) : answer));
      } catch {
        response.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mineOne();

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    secondUrl: `${url}/second`,
    give: (address, currency, amount) => {
      given.set(slot(address, currency), (given.get(slot(address, currency)) ?? 0n) + amount);
      add(address, currency, amount);
    },
    balance,
    pay: (from, to, currency, amount, contract = USDT_CONTRACT) => {
      salt += 1;
      const transaction = strange(from, to, currency, amount, contract, salt, timeMs);
      const id = createHash('sha256').update(`payment ${salt}`).digest('hex');
      waiting.push({ id, transaction });
      return id;
    },
    mine: (blocks = 1) => {
      for (let i = 0; i < blocks; i += 1) mineOne();
    },
    reorg: (depth, keeps = 'waiting') => {
      const gone = chain.slice(-depth).flatMap(({ made }) => made);
      chain = chain.slice(0, -depth);
      rebuild(chain);
      timeMs = (chain.at(-1) as Block).timestamp;
      if (keeps === 'lost') lost = new Set([...lost, ...gone.map(({ id }) => id)]);
      waiting = [...gone.map(({ id, transaction }) => ({ id, transaction })), ...waiting];
      for (let i = 0; i < depth; i += 1) mineOne();
    },
    hold: (held) => {
      isHeld = held;
    },
    stake: (address, amount) => energy.set(address, amount),
    freeze: (frozen) => {
      isFrozen = frozen;
    },
    answer: (path, change) => {
      if (change) changes.set(path, change);
      else changes.delete(path);
    },
    broadcasts,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function strange(
  from: string,
  to: string,
  currency: string,
  amount: bigint,
  contract: string,
  salt: number,
  timeMs: number,
): TronTransaction {
  const words = `${hex.encode(addressBytes('TRX', to)).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  const call = {
    kind: 'call',
    from,
    contract,
    data: hex.decode(`a9059cbb${words}`),
    feeLimit: 10n ** 9n,
  } as const;
  return {
    refBlockBytes: new Uint8Array(2),
    refBlockHash: new Uint8Array(8),
    expiration: BigInt(timeMs + 86_400_000),
    timestamp: BigInt(salt),
    order: currency === 'TRX' ? { kind: 'transfer', from, to, amount } : call,
  };
}

const hexAddress = (address: string) => `41${hex.encode(addressBytes('TRX', address))}`;
const addressOf = (value: unknown) => tronAddress(hex.decode(String(value).slice(2)));
const refusal = (code: string, message: string): Json => ({
  code,
  message: Buffer.from(message).toString('hex'),
});
const idOf = (number: number, salt: number) =>
  number.toString(16).padStart(16, '0') +
  createHash('sha256').update(`${number}/${salt}`).digest('hex').slice(16);

function logOf(contract: string, from: string, to: string, amount: bigint): Json {
  const word = (address: string) => hex.encode(addressBytes('TRX', address)).padStart(64, '0');
  return {
    address: hex.encode(addressBytes('TRX', contract)),
    topics: [TRANSFER_EVENT, word(from), word(to)],
    data: amount.toString(16).padStart(64, '0'),
  };
}

function blockJson({ number, id, parent, timestamp, made }: Block, isWhole: boolean): Json {
  const transactions = made.map(({ id: txID, transaction, ret }) => ({
    ret: [{ contractRet: ret }],
    txID,
    raw_data: rawJson(transaction),
  }));
  return {
    blockID: id,
    block_header: {
      raw_data: { ...(number > 0 && { number }), parentHash: parent, timestamp },
      witness_signature: '',
    },
    ...(isWhole && transactions.length > 0 && { transactions }),
  };
}

function rawJson({ order, expiration, timestamp }: TronTransaction): Json {
  const [type, value] =
    order.kind === 'transfer'
      ? [
          'TransferContract',
          {
            owner_address: hexAddress(order.from),
            to_address: hexAddress(order.to),
            amount: Number(order.amount),
          },
        ]
      : [
          'TriggerSmartContract',
          {
            owner_address: hexAddress(order.from),
            contract_address: hexAddress(order.contract),
            data: hex.encode(order.data),
          },
        ];
  const contract = [{ type, parameter: { type_url: `type.googleapis.com/protocol.${type}`, value } }];
  return { contract, expiration: Number(expiration), timestamp: Number(timestamp) };
}

/** The address whose key signed. */
function signerOf(digest: Uint8Array, signature: Uint8Array): string {
  const recovered = Uint8Array.of((signature[64] ?? 27) - 27, ...signature.slice(0, 64));
  const key = secp256k1.recoverPublicKey(recovered, digest, { prehash: false });
  return tronAddress(keccak_256(secp256k1.Point.fromBytes(key).toBytes(false).slice(1)).slice(-20));
}
