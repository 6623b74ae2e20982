/**
 * Goal: reconciliation of Ethereum finds what differs, and nothing else. Method: the whole application with a rail of Ethereum on a real
 * node; the suite of all networks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { evmAddress } from '../../../src/base/address.ts';
import { toMinor } from '../../../src/base/money.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createEvm, readEvmSettings } from '../../../src/rails/evm/index.ts';
import type { RailPart } from '../../../src/resolvers/services/rail-part.ts';
import { inboundOf, pixFor } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { testSigner } from '../../support/test-signer.ts';
import { reconciles } from '../reconciled.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT } from './stand.ts';

const signer = testSigner('a wallet to be reconciled');
const THIEF = evmAddress(Buffer.from('dead'.repeat(10), 'hex'));
const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const ROUNDS_MAX = 1_000;
let node: EvmNode;
let rail: NetworkRail;

beforeAll(async () => {
  node = await startEvmNode();
  for (const who of [PAYER, signer.hotAddress]) {
    await node.give(who, 100n * ETHER);
    await node.give(who, 1_000n * USDT, 'USDT_ETH');
  }
  await node.mine(FINAL);
});
afterAll(() => node?.stop());
const part = <Port>(port: Port): RailPart<Port> => ({ port, checks: async () => [] });
const app = useApp({
  railsFile: {
    live: {
      pix: () => part(LIVE_RAILS.pix),
      signer: () => part(signer),
      rates: () => part(LIVE_RAILS.rates),
      liquidity: () => part(LIVE_RAILS.liquidity),
      identity: 'off',
      screening: 'off',
      networks: new Map([
        [
          'ETH',
          (tools) => {
            const { xpub, hotAddress } = signer;
            const given = { kind: 'evm', providers: [node.url], confirmations: FINAL, xpub, hotAddress };
            const own = { networkFees: { USDT_ETH: '2.50' }, sweep: { USDT_ETH: '15' } };
            const settings = readEvmSettings({ ...given, ...own }, 'live.networks.ETH', 'ETH');
            rail = createEvm({ ...settings, pollMs: 1 }, tools);
            return rail;
          },
        ],
      ]),
    },
  },
});
const inbound = inboundOf(app);
beforeAll(async () => {
  await rail.turn();
});

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (await what()) return;
    await node.mine();
    await rail.turn();
    await sleep(20);
  }
  throw new Error('it did not come to that');
}

/** A session is paid by a deposit, which is swept, and a delivery leaves. */
async function live(): Promise<void> {
  const { apiKey: key } = await app.addAccount({ mode: 'live' });
  const sold = await app.post(
    '/v2/offramp',
    {
      ...{ from: 'external', currency_entry_paid_code: 'USDT_ETH', amount_paid: '20', ...CUSTOMER },
      ...{ pix_key: CUSTOMER.client_tax_id, pix_key_type: 'cpf' },
    },
    { key },
  );
  expect(sold.status, sold.text).toBe(201);
  await until(async () => (await inbound.rowOf(sold.json.end2end)).depositAddress !== null);
  const row = await inbound.rowOf(sold.json.end2end);
  const address = row.depositAddress as string;
  await node.pay(PAYER, address, toMinor(row.exactDepositAmount as string, 6), 'USDT_ETH');
  await until(async () => (await inbound.rowOf(row.end2end)).component === 'pix_out');
  await until(async () => (await node.balance(address, 'USDT_ETH')) === 0n);
  const wanted = {
    currency_exit_received_code: 'USDT_ETH',
    amount_payment: '100.00',
    wallet: PAYEE,
    ...CUSTOMER,
  };
  const bought = await app.post('/v2/onramp', wanted, { key });
  expect(bought.status, bought.text).toBe(201);
  await until(async () => (await inbound.rowOf(bought.json.end2end)).process?.txid !== undefined);
  await app.services.forMode('live').receive(pixFor(await inbound.rowOf(bought.json.end2end)));
  await until(async () => (await inbound.rowOf(bought.json.end2end)).component === 'success');
  const isOver = async () => {
    const { rows } = await app.owner.query('select 1 from chain_order where ended_at is null');
    return rows.length === 0;
  };
  await until(isOver);
  await rail.turn();
  await rail.turn();
}

reconciles({
  app,
  mode: 'live',
  network: 'ETH',
  token: 'USDT_ETH',
  coin: 'ETH_ETH',
  other: 'USDC_ETH',
  hot: () => signer.hotAddress,
  stranger: PAYER,
  thief: THIEF,
  rail: () => rail,
  pay: async (from, to, minor, currency) => {
    const hash = await node.pay(from, to, minor, currency);
    // The first block after it may have been put together before it came.
    while ((await node.call('eth_getTransactionReceipt', hash)) === null) await node.mine();
    return hash;
  },
  settle: () => node.mine(FINAL),
  give: async (address, minor, currency) =>
    node.give(address, (await node.balance(address, currency)) + minor, currency),
  live,
});
