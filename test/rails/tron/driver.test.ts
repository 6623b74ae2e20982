/**
 * Goal: what a node of TRON says is read as it is meant, and not believed where it does not fit. Method: the driver against a node of
 * the test over HTTP, which mines, rewrites, forgets and lies; keys are the signer's own.
 */
import { hex } from '@scure/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressBytes, tronAddress } from '../../../src/base/chain/address.ts';
import { type Currency, currencyOf } from '../../../src/base/money/currency.ts';
import { signDigest } from '../../../src/chains/signature.ts';
import { readTokenTransfer } from '../../../src/chains/token-transfer.ts';
import {
  readTronTransaction,
  signedTronTransaction,
  tronDigest,
} from '../../../src/chains/tron-transaction.ts';
import {
  MovementRefused,
  type NetworkDriver,
  type Signed,
  type Unsigned,
} from '../../../src/rails/chain/driver.ts';
import { createApi } from '../../../src/rails/tron/api.ts';
import { createTronDriver, transferCost } from '../../../src/rails/tron/driver.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import { startTronNode, type TronNode } from '../../support/tron-node.ts';

const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
const HOT = wallet.hot.TRX as string;
const OURS = wallet.addressOf('TRX', { purpose: 'deposit', index: 0 });
const [THEIRS, OTHERS] = [0x51, 0x52].map((byte) => tronAddress(new Uint8Array(20).fill(byte))) as [
  string,
  string,
];
const USDT = currencyOf('USDT_TRX') as Currency;
const TRX = currencyOf('TRX_TRX') as Currency;
const ONE = 1_000_000n;

let node: TronNode;
let driver: NetworkDriver;

beforeEach(async () => {
  node = await startTronNode();
  driver = createTronDriver(createApi({ name: 'node', url: node.url }, 5_000), { maxFeeLimit: 60n * ONE });
  node.give(HOT, 'TRX', 1_000n * ONE);
  node.give(HOT, 'USDT', 1_000n * ONE);
  node.give(THEIRS, 'TRX', 1_000n * ONE);
  node.give(THEIRS, 'USDT', 1_000n * ONE);
});
afterEach(() => node.close());

function sign({ unsigned, nonce, expiresAtMs }: Unsigned): Signed {
  const key = wallet.privateKey('TRX', { purpose: 'hot' });
  return {
    from: HOT,
    nonce,
    expiresAtMs,
    ...signedTronTransaction(unsigned, signDigest(tronDigest(unsigned), key)),
  };
}
const payOut = (currency: Currency, amountMinor: bigint, to = OTHERS) =>
  driver.gasPrice().then((price) => driver.build({ from: HOT, to, currency, amountMinor }, null, price));
const all = async () => {
  const { height } = await driver.head();
  return driver.arrivals({ from: 0, to: height }, new Set([OURS]));
};

describe('blocks', () => {
  test('have height, parent and time; those 19 below the newest are final', async () => {
    node.mine(30);
    const head = await driver.head();
    const before = await driver.block(head.height - 1);
    expect(head).toMatchObject({ height: 31, parentHash: before?.hash, atMs: (before?.atMs ?? 0) + 3_000 });
    expect(await driver.finalHeight()).toBe(12);
    expect(await driver.block(32)).toBeUndefined();
  });

  test('of another network are detected by its first block', async () => {
    await driver.check();
    node.answer('wallet/getblock', (answer) => ({ ...answer, blockID: '0'.repeat(16) + '1'.repeat(48) }));
    await expect(driver.check()).rejects.toThrow('expected the main network of TRON');
  });

  test('are refused if their id does not match their height', async () => {
    node.answer('wallet/getnowblock', (answer) => ({ ...answer, blockID: '0'.repeat(64) }));
    await expect(driver.head()).rejects.toThrow('has the id');
  });
});

describe('arrivals', () => {
  test('include USDT by the log of its contract, and TRX by the transfer', async () => {
    const [usdt, trx] = [node.pay(THEIRS, OURS, 'USDT', 7n * ONE), node.pay(THEIRS, OURS, 'TRX', 3n)];
    node.pay(THEIRS, OTHERS, 'USDT', ONE);
    node.mine();
    const block = await driver.head();
    const at = {
      block: { height: block.height, hash: block.hash },
      logIndex: 0,
      address: OURS,
      from: THEIRS,
    };
    expect(await all()).toEqual(
      [
        { ...at, txHash: usdt, currency: 'USDT_TRX', amountMinor: 7n * ONE },
        { ...at, txHash: trx, currency: 'TRX_TRX', amountMinor: 3n },
      ].toSorted((left, right) => left.txHash.localeCompare(right.txHash)),
    );
  });

  test('exclude other contracts, transfers of zero, and failed transactions', async () => {
    node.pay(THEIRS, OURS, 'USDT', ONE, tronAddress(new Uint8Array(20).fill(0x77)));
    node.pay(THEIRS, OURS, 'USDT', 0n);
    node.pay(THEIRS, OURS, 'USDT', 10n ** 12n);
    node.pay(THEIRS, OURS, 'TRX', 0n);
    node.mine();
    expect(await all()).toEqual([]);
    node.answer('wallet/gettransactioninfobyblocknum', (answer) =>
      (answer as unknown as Record<string, unknown>[]).map((info) => ({
        ...info,
        log: [{ address: hex.encode(addressBytes('TRX', THEIRS)), topics: [], data: '' }],
      })),
    );
    expect(await all()).toEqual([]);
  });

  test('disappear with their block, and are found again in another one at the same position', async () => {
    const txHash = node.pay(THEIRS, OURS, 'USDT', ONE);
    node.mine(3);
    const [before] = await all();
    node.reorg(3);
    const [after] = await all();
    expect(after).toEqual({ ...before, block: after?.block });
    expect(after?.block.hash).not.toBe(before?.block.hash);
    node.reorg(3, 'lost');
    expect(await all()).toEqual([]);
    expect(txHash).toBe(before?.txHash);
  });

  test('are not reported if the transactions of a block and their outcomes do not match', async () => {
    node.pay(THEIRS, OURS, 'USDT', ONE);
    node.mine();
    for (const lie of [() => [], (answer: unknown) => [...(answer as object[]), { id: 'f'.repeat(64) }]]) {
      node.answer('wallet/gettransactioninfobyblocknum', lie);
      await expect(all()).rejects.toThrow('do not match');
    }
    node.answer('wallet/gettransactioninfobyblocknum', undefined);
    node.answer('wallet/getblockbynum', () => ({}));
    await expect(all()).rejects.toThrow('expected an object');
  });

  test('are not reported by a node that fails, disconnects or answers nonsense', async () => {
    for (const lie of [
      () => ({ Error: 'class java.lang.NullPointerException' }),
      () => 'text',
      () => {
        throw new Error('hangs up');
      },
    ]) {
      node.answer('wallet/getnowblock', lie);
      await expect(driver.head()).rejects.toMatchObject({ name: 'NodeUnavailable' });
    }
  });
});

describe('sending', () => {
  test('USDT: the transaction contains the order, and the estimated energy limits the fee', async () => {
    const made = await payOut(USDT, 5n * ONE);
    const { order, expiration } = readTronTransaction(made.unsigned);
    if (order.kind !== 'call') throw new Error('a call');
    expect(readTokenTransfer(order.data)).toEqual({ to: addressBytes('TRX', OTHERS), amount: 5n * ONE });
    // 64,285 units at 100 sun, and three tenths more.
    expect(order.feeLimit).toBe(8_357_000n);
    expect(made).toMatchObject({ nonce: null, costMinor: 8_757_000n, expiresAtMs: Number(expiration) });
    await driver.broadcast(sign(made).raw);
    node.mine();
    expect(node.balance(OTHERS, 'USDT')).toBe(5n * ONE);
  });

  test('energy that the wallet has costs nothing, and the fee limit stays', async () => {
    node.stake(HOT, 70_000n);
    const { costMinor, unsigned } = await payOut(USDT, ONE);
    expect(costMinor).toBe(13_570n * 100n + 400_000n);
    expect(readTronTransaction(unsigned).order).toMatchObject({ feeLimit: 8_357_000n });
  });

  test('TRX: an address that is new costs more', async () => {
    expect((await payOut(TRX, ONE)).costMinor).toBe(1_400_000n);
    expect((await payOut(TRX, ONE, THEIRS)).costMinor).toBe(300_000n);
    const price = await driver.gasPrice();
    expect(transferCost(TRX, price)).toBe(1_400_000n);
    expect(transferCost(USDT, price)).toBe(13_500_000n);
  });

  test('two equal transfers are two transactions', async () => {
    const made = await Promise.all([payOut(USDT, ONE), payOut(USDT, ONE), payOut(USDT, ONE)]);
    expect(new Set(made.map(({ unsigned }) => unsigned)).size).toBe(3);
  });

  test('a transfer that the contract would not execute is refused before it is signed; energy above the limit waits', async () => {
    await expect(payOut(USDT, 10n ** 12n)).rejects.toThrow(MovementRefused);
    node.answer('wallet/getchainparameters', () => ({
      chainParameter: [{ key: 'getEnergyFee', value: 2_000 }],
    }));
    await expect(payOut(USDT, ONE)).rejects.toThrow('60000000 is allowed');
    await expect(payOut(USDT, ONE)).rejects.not.toThrow(MovementRefused);
  });

  test('balances of both currencies are read', async () => {
    expect(await driver.balance(HOT, USDT)).toBe(1_000n * ONE);
    expect(await driver.balance(HOT, TRX)).toBe(1_000n * ONE);
    expect(await driver.balance(OTHERS, TRX)).toBe(0n);
  });
});

describe('outcomes', () => {
  test('are open, included, and final; a repeated broadcast changes nothing', async () => {
    const signed = sign(await payOut(USDT, ONE));
    expect(await driver.status(signed)).toEqual({ state: 'open' });
    await driver.broadcast(signed.raw);
    await driver.broadcast(signed.raw);
    expect(await driver.status(signed)).toEqual({ state: 'open' });
    node.mine();
    const { height, hash } = await driver.head();
    const included = { block: { height, hash }, isDone: true, gasMinor: 6_773_500n };
    expect(await driver.status(signed)).toEqual({ state: 'included', ...included });
    await driver.broadcast(signed.raw);
    node.mine(19);
    expect(await driver.status(signed)).toEqual({ state: 'final', ...included });
    expect(node.balance(OTHERS, 'USDT')).toBe(ONE);
  });

  test('a rewritten block makes a transaction open again', async () => {
    const signed = sign(await payOut(USDT, ONE));
    await driver.broadcast(signed.raw);
    node.mine();
    node.reorg(1, 'lost');
    expect(await driver.status(signed)).toEqual({ state: 'open' });
  });

  test('an expired transaction counts as gone only after a final block confirms it', async () => {
    node.mine(20);
    const signed = sign(await payOut(USDT, ONE));
    node.hold(true);
    await driver.broadcast(signed.raw);
    // 60 seconds until it expires, 30 of patience, and 57 until that is final.
    for (let i = 0; i < 48; i += 1) {
      expect(await driver.status(signed)).toEqual({ state: 'open' });
      node.mine();
    }
    node.mine();
    expect(await driver.status(signed)).toEqual({ state: 'never' });
    node.hold(false);
    await expect(driver.broadcast(signed.raw)).rejects.toThrow('TRANSACTION_EXPIRATION_ERROR');
    node.mine(30);
    expect(node.balance(OTHERS, 'USDT')).toBe(0n);
  });

  test('lack of energy costs the fee and moves nothing', async () => {
    const signed = sign(await payOut(USDT, ONE));
    node.pay(HOT, OTHERS, 'TRX', 999n * ONE);
    node.mine();
    await driver.broadcast(signed.raw);
    node.mine(20);
    expect(await driver.status(signed)).toMatchObject({
      state: 'final',
      isDone: false,
      gasMinor: 8_357_000n,
    });
    expect(node.balance(OTHERS, 'USDT')).toBe(0n);
  });

  test('a node that reports another transaction is not believed', async () => {
    const signed = sign(await payOut(USDT, ONE));
    node.answer('walletsolidity/gettransactioninfobyid', () => ({ id: 'f'.repeat(64), blockNumber: 1 }));
    await expect(driver.status(signed)).rejects.toThrow('of another transaction');
  });

  test('a signature of another key is refused by the network', async () => {
    const made = await payOut(USDT, ONE);
    const stranger = signDigest(
      tronDigest(made.unsigned),
      wallet.privateKey('TRX', { purpose: 'deposit', index: 0 }),
    );
    await expect(driver.broadcast(signedTronTransaction(made.unsigned, stranger).raw)).rejects.toThrow(
      'SIGERROR',
    );
  });
});
