/**
 * Goal: TRON works on the parts that all networks share: what is ordered is paid once, whatever expires, is rewritten or dies in between;
 * deposits count when they are final; they are swept. Method: the rail on a real database, against a node of the test over HTTP, with the
 * signer's own service and policy behind its socket.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tronAddress } from '../../../src/base/chain/address.ts';
import { type Currency, currencyOf } from '../../../src/base/money/currency.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { signerAt } from '../../../src/rails/chain/signer.ts';
import { createTron, readTronSettings } from '../../../src/rails/tron/index.ts';
import type { RailEvent } from '../../../src/resolvers/services/rail-event.ts';
import { openRecord, type SignedRecord } from '../../../src/signer/record.ts';
import { openServer } from '../../../src/signer/serve.ts';
import { createSignerService } from '../../../src/signer/signer.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useDatabase } from '../../support/database.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';
import { openPolicyIn } from '../../support/signer.ts';
import { startTronNode, type TronNode } from '../../support/tron-node.ts';

const store = useDatabase();
const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
const HOT = wallet.hot.TRX as string;
const PAYER = tronAddress(new Uint8Array(20).fill(0x51));
const PAYEE = tronAddress(new Uint8Array(20).fill(0x52));
const ONE = 1_000_000n;
/** Blocks until what was in the newest one is final. */
const FINAL = 19;
/** Blocks until an expired transaction is gone for good. */
const GONE = 60;

const event: RailEvent[] = [];
const alarms: string[] = [];
let folder: string;
let node: TronNode;
let record: SignedRecord;
let server: Server;
let rail: NetworkRail;

function make(over: object = {}): NetworkRail {
  const given = { kind: 'tron', providers: [node.url], hotAddress: HOT, xpub: wallet.xpub.TRX, ...over };
  const settings = readTronSettings(given, 'live.networks.TRX', 'TRX');
  const log = {
    info: () => {},
    warn: () => {},
    error: (_facts: object, words: string) => void alarms.push(words),
  };
  return createTron(
    { ...settings, pollMs: 1 },
    {
      mode: 'live',
      network: 'TRX',
      database: store.database,
      clock: SYSTEM_CLOCK,
      signer: signerAt({ socket: join(folder, 's') }),
      log: log as never,
      receive: async (told) => {
        event.push(told);
        return { outcome: 'noted' };
      },
    },
  );
}
/** The process dies, and another one takes over when its lease has ended. */
async function takeOver(over?: object): Promise<void> {
  await store.owner.query(`update chain_network set leased_until = '2020-01-01'`);
  rail = make(over);
}
/** The node and itself, as two providers. */
const TWO = () => [node.url, { url: node.secondUrl, name: 'second' }];
async function cycles(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await rail.cycle();
}
async function settle(blocks = FINAL + 1): Promise<void> {
  node.mine(blocks);
  await cycles();
}
const currency = (code: string) => currencyOf(code) as Currency;
const send = (key: string, amountMinor: bigint, code = 'USDT_TRX', to = PAYEE) =>
  rail.port.send({ key, row: {} as ProcessRow, currency: currency(code), to, amountMinor });
const told = (...kinds: RailEvent['kind'][]) =>
  event
    .filter(({ kind }) => kinds.includes(kind))
    .map((each) => {
      const what = 'address' in each ? `${each.amount} ${each.currency}` : 'order' in each ? each.order : '';
      return `${each.kind} ${what}`;
    });
const gasTold = () =>
  event.reduce((sum, each) => sum + (each.kind === 'gas_spent' ? BigInt(each.gas.amountMinor) : 0n), 0n);

beforeEach(async () => {
  event.length = 0;
  alarms.length = 0;
  await store.owner.query(
    'truncate chain_network, chain_block, chain_address, chain_order, chain_attempt, chain_arrival',
  );
  folder = mkdtempSync(join(tmpdir(), 'crossramp-tron-'));
  record = openRecord(join(folder, 'signed.sqlite'));
  const log = { signed: () => {}, refused: () => {} };
  server = await openServer(
    createSignerService(wallet, openPolicyIn(folder), record),
    { socket: join(folder, 's') },
    log,
    record.refused,
  );
  node = await startTronNode();
  node.give(HOT, 'TRX', 1_000n * ONE);
  node.give(HOT, 'USDT', 10_000n * ONE);
  node.give(PAYER, 'TRX', 1_000n * ONE);
  node.give(PAYER, 'USDT', 10_000n * ONE);
  node.mine(FINAL + 5);
  rail = make();
  await cycles();
});
afterEach(async () => {
  await node.close();
  await new Promise((resolve) => server.close(resolve));
  record.close();
  rmSync(folder, { recursive: true, force: true });
});

test('USDT and TRX are sent; sent, final and gas are reported once each', async () => {
  await send('CRX1:1', 20n * ONE);
  await send('CRX2:1', 3n * ONE, 'TRX_TRX');
  await cycles();
  node.mine();
  await cycles();
  expect(told('broadcast_sent').toSorted()).toEqual(['broadcast_sent CRX1:1', 'broadcast_sent CRX2:1']);
  expect(told('broadcast_confirmed')).toEqual([]);
  await settle();
  await settle();
  expect(told('broadcast_confirmed').toSorted()).toEqual([
    'broadcast_confirmed CRX1:1',
    'broadcast_confirmed CRX2:1',
  ]);
  expect(told('broadcast_sent', 'broadcast_confirmed', 'broadcast_failed', 'gas_spent')).toHaveLength(6);
  expect([node.balance(PAYEE, 'USDT'), node.balance(PAYEE, 'TRX')]).toEqual([20n * ONE, 3n * ONE]);
  expect(node.balance(HOT, 'TRX')).toBe(1_000n * ONE - 3n * ONE - gasTold());
});

test('an expired order is made anew once its transaction is permanently gone, and is paid once, by any process', async () => {
  node.hold(true);
  await send('CRX1:1', 20n * ONE);
  await cycles();
  for (let blocks = 0; blocks < GONE; blocks += 12) {
    await settle(12);
    await takeOver();
    await cycles();
  }
  expect(alarms).toContain('a transfer can no longer be in any block: it is made again');
  expect(new Set(node.broadcasts).size).toBe(2);
  node.hold(false);
  await settle();
  await settle(GONE);
  expect(told('broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
  expect(node.balance(PAYEE, 'USDT')).toBe(20n * ONE);
});

test('an order pays once if a broadcast succeeds without an answer, or the process dies', async () => {
  node.answer('wallet/broadcasthex', () => {
    throw new Error('hangs up');
  });
  await send('CRX1:1', 20n * ONE);
  await cycles();
  await takeOver();
  await cycles();
  node.answer('wallet/broadcasthex', undefined);
  await settle();
  await settle();
  expect(told('broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
  expect(node.balance(PAYEE, 'USDT')).toBe(20n * ONE);
  expect(new Set(node.broadcasts).size).toBe(1);
});

test('a transfer that a rewritten block removed is broadcast again', async () => {
  await send('CRX1:1', 20n * ONE);
  await cycles();
  node.mine(2);
  await cycles();
  node.reorg(2);
  await cycles();
  await settle();
  await settle();
  expect(told('broadcast_sent', 'broadcast_confirmed')).toEqual([
    'broadcast_sent CRX1:1',
    'broadcast_confirmed CRX1:1',
  ]);
  expect(node.balance(PAYEE, 'USDT')).toBe(20n * ONE);
});

test('a transfer that lacks energy fails, and its fee is reported', async () => {
  await send('CRX1:1', 20n * ONE);
  node.hold(true);
  await cycles();
  node.hold(false);
  node.give(HOT, 'TRX', -998n * ONE);
  await settle();
  await settle();
  expect(told('broadcast_confirmed', 'broadcast_failed')).toEqual(['broadcast_failed CRX1:1']);
  expect(gasTold()).toBeGreaterThan(0n);
  expect(node.balance(PAYEE, 'USDT')).toBe(0n);
});

test('a transfer waits unsigned while there is too little TRX for energy', async () => {
  node.give(HOT, 'TRX', -998n * ONE);
  await send('CRX1:1', 20n * ONE);
  await settle();
  expect(alarms).toContain('a transfer waits for money');
  expect(node.broadcasts).toEqual([]);
});

test('a deposit is seen in a block and confirmed when it is final; one that the chain loses is dropped', async () => {
  const address = await rail.port.depositAddress(currency('USDT_TRX'));
  node.pay(PAYER, address, 'USDT', 7n * ONE);
  node.pay(PAYER, address, 'TRX', 2n * ONE);
  node.mine();
  await cycles();
  expect(told('deposit_seen').toSorted()).toEqual(['deposit_seen 2 TRX_TRX', 'deposit_seen 7 USDT_TRX']);
  await settle(FINAL - 1);
  expect(told('deposit_confirmed')).toEqual([]);
  await settle(1);
  expect(told('deposit_confirmed').toSorted()).toEqual([
    'deposit_confirmed 2 TRX_TRX',
    'deposit_confirmed 7 USDT_TRX',
  ]);
  node.pay(PAYER, address, 'USDT', 5n * ONE);
  node.mine(2);
  await cycles();
  node.reorg(2, 'lost');
  await cycles();
  await settle();
  expect(told('deposit_dropped')).toEqual(['deposit_dropped 5 USDT_TRX']);
  expect(told('deposit_confirmed')).toHaveLength(2);
});

test('while one of two providers hides a deposit, nothing progresses and an alarm is raised', async () => {
  await takeOver({ providers: TWO() });
  const address = await rail.port.depositAddress(currency('USDT_TRX'));
  node.pay(PAYER, address, 'USDT', 7n * ONE);
  node.mine();
  await cycles();
  const path = 'second/wallet/gettransactioninfobyblocknum';
  node.answer(path, (answer) => (answer as unknown as object[]).map((info) => ({ ...info, log: [] })));
  await settle();
  expect(told('deposit_confirmed')).toEqual([]);
  expect(alarms).toContain('a network cannot be read');
  node.answer(path, undefined);
  await cycles();
  expect(told('deposit_confirmed')).toEqual(['deposit_confirmed 7 USDT_TRX']);
});

test('transfers wait while providers disagree on the price of energy, and doctor shows each price', async () => {
  await takeOver({ providers: TWO() });
  node.answer('second/wallet/getchainparameters', () => ({
    chainParameter: [{ key: 'getEnergyFee', value: 100_000 }],
  }));
  await send('CRX1:1', 20n * ONE);
  await cycles();
  expect(node.broadcasts).toEqual([]);
  const price = async () => (await rail.checks()).find(({ check }) => check === 'gas price');
  expect(await price()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/: 100 sun; second: 100000 sun$/),
  });
  node.answer('second/wallet/getchainparameters', undefined);
  await settle();
  await settle();
  expect(told('broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
});

test('transfers wait while energy costs more than the maximum', async () => {
  await takeOver({ maxFee: '5' });
  await send('CRX1:1', 20n * ONE);
  await settle();
  expect(node.broadcasts).toEqual([]);
  expect(alarms).toContain('transfers wait until gas costs less');
});

test('deposits are swept: gas is sent first, then all goes to the hot wallet, within the policy of the signer', async () => {
  await takeOver({ sweep: { USDT_TRX: '50' } });
  const address = await rail.port.depositAddress(currency('USDT_TRX'));
  node.pay(PAYER, address, 'USDT', 80n * ONE);
  for (let round = 0; round < 6; round += 1) await settle();
  expect(node.balance(address, 'USDT')).toBe(0n);
  expect(node.balance(HOT, 'USDT')).toBe(10_080n * ONE);
  // What was brought and not used stays for the next deposit; nothing else is missing.
  const trx = node.balance(HOT, 'TRX') + node.balance(address, 'TRX');
  expect(trx).toBe(1_000n * ONE - gasTold());
  expect(record.refusals()).toEqual({});
});

test('doctor reports the network, the newest block, the wallet, and whether the signer has its keys', async () => {
  const checks = await rail.checks();
  expect(checks.map(({ check, ok }) => `${check} ${ok}`)).toEqual(
    ['providers', 'head', 'reading', 'gas', 'gas price', 'sending', 'signer'].map((name) => `${name} true`),
  );
});

const NODE = 'https://node.invalid';

test.each([
  ['another kind', { kind: 'evm' }, /live\.networks\.TRX\.kind: expected "tron"/],
  ['no provider', { providers: [] }, /providers: expected a list of one to 5/],
  [
    'a provider without TLS elsewhere',
    { providers: ['http://node.invalid'] },
    /providers\[0\]\.url: expected an https URL/,
  ],
  [
    'a node that stands there twice',
    { providers: [NODE, { url: NODE }] },
    /providers: expected each node once/,
  ],
  [
    'a currency of another network',
    { sweep: { USDT_ETH: '1' } },
    /sweep\.USDT_ETH: expected a name that is the code of a catalogue currency on TRX/,
  ],
  ['parts of a sun', { gasFloat: '0.0000001' }, /gasFloat: expected at most 6 decimals/],
  ['parts of a sun for energy', { maxFee: '0.0000001' }, /maxFee: expected at most 6 decimals/],
  [
    'an address of another network',
    { hotAddress: '0xF0109fC8DF283027b6285cc889F5aA624EaC1F55' },
    /hotAddress: expected/,
  ],
  ['a private key', { xpub: 'xprv' }, /xpub: expected the extended public key/],
  ['a setting that there is not', { confirmations: 12 }, /confirmations: there is no such setting/],
])('settings with %s are refused by name', (_, over, message) => {
  expect(() => make(over)).toThrow(message);
});
