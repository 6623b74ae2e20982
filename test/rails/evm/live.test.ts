/**
 * Goal: a live account is paid by a transfer on a network and delivers by one, and its books say what the network has: custody is what lies on
 * all addresses, gas is what the network took (C-34, L12). Method: the whole application with a rail of Ethereum on a real node; PIX is a
 * double.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toMinor } from '../../../src/base/money.ts';
import { createEvm, readEvmSettings } from '../../../src/rails/evm/index.ts';
import type { RailPart } from '../../../src/resolvers/services/rail-part.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { inboundOf, pixFor } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { testSigner } from '../../support/test-signer.ts';
import { ETHER, PAYEE, PAYER, USDT } from './stand.ts';

const signer = testSigner();
const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const ROUNDS_MAX = 300;
let node: EvmNode;
let working: readonly { readonly stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  node = await startEvmNode();
  for (const who of [PAYER, signer.hotAddress]) {
    await node.give(who, 100n * ETHER);
    await node.give(who, 1_000n * USDT, 'USDT_ETH');
  }
  await node.mine(3);
});
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
            const given = { kind: 'evm', providers: [node.url], confirmations: 2, xpub, hotAddress };
            const own = { networkFees: { USDT_ETH: '2.50' }, sweep: { USDT_ETH: '10' } };
            return createEvm(
              { ...readEvmSettings({ ...given, ...own }, 'live.networks.ETH', 'ETH'), pollMs: 20 },
              tools,
            );
          },
        ],
      ]),
    },
  },
});
const inbound = inboundOf(app);
beforeAll(async () => {
  const { railParts } = app.services.forMode('live');
  working = railParts.flatMap(({ part: each }) => each.start?.() ?? []);
});
afterAll(async () => {
  await Promise.all(working.map((each) => each.stop()));
  await node?.stop();
});

/** Lets blocks come until something is so. */
async function until(what: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (await what()) return;
    await node.mine();
    await sleep(40);
  }
  throw new Error('it did not come to that');
}
/** A balance of a house account over all accounts, minor units. */
async function booked(house: string, currency: string): Promise<bigint> {
  const { rows } = await app.owner.query(
    `select coalesce(sum(b.balance), 0)::text as balance from ledger_account a
       join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.house = $1 and a.currency = $2`,
    [house, currency],
  );
  const amount = BigInt(rows[0].balance);
  return amount < 0n ? -amount : amount;
}

test('an offramp is paid by a transfer, which is swept; an onramp delivers one; the books say what the node says', async () => {
  const live = await app.addAccount({ mode: 'live' });
  const created = await app.post(
    '/v2/offramp',
    {
      ...{ from: 'external', currency_entry_paid_code: 'USDT_ETH', amount_paid: '20', ...CUSTOMER },
      ...{ pix_key: CUSTOMER.client_tax_id, pix_key_type: 'cpf' },
    },
    { key: live.apiKey },
  );
  expect(created.status, created.text).toBe(201);
  await until(async () => (await inbound.rowOf(created.json.end2end)).depositAddress !== null);
  const row = await inbound.rowOf(created.json.end2end);
  const address = row.depositAddress as string;
  const amount = toMinor(row.exactDepositAmount as string, 6);
  await node.pay(PAYER, address, amount, 'USDT_ETH');
  await until(async () => (await inbound.rowOf(row.end2end)).component === 'pix_out');
  await until(async () => (await node.balance(address, 'USDT_ETH')) === 0n);

  const order = {
    currency_exit_received_code: 'USDT_ETH',
    amount_payment: '100.00',
    wallet: PAYEE,
    ...CUSTOMER,
  };
  const bought = await app.post('/v2/onramp', order, { key: live.apiKey });
  expect(bought.status, bought.text).toBe(201);
  await until(async () => (await inbound.rowOf(bought.json.end2end)).process?.txid !== undefined);
  await app.services.forMode('live').receive(pixFor(await inbound.rowOf(bought.json.end2end)));
  await until(async () => (await inbound.rowOf(bought.json.end2end)).component === 'success');
  const done = await inbound.rowOf(bought.json.end2end);
  const delivered = await node.balance(PAYEE, 'USDT_ETH');
  expect(delivered).toBeGreaterThan(0n);
  expect(done.txHash).toMatch(/^0x[0-9a-f]{64}$/);

  // All gas is booked in the end: that of the transfer with its account, that of the house with the platform's.
  const spentGas = async () =>
    100n * ETHER - (await node.balance(signer.hotAddress)) - (await node.balance(address));
  await until(async () => (await booked('X.gas', 'ETH_ETH')) === (await spentGas()));
  expect(await inbound.journalsOf(live.accountId)).toContain('L12');
  expect(await inbound.journalsOf(await platformAccount(app.database, 'live'))).toBe('L12 L12');
  // Custody changed by what came and went: the hot wallet began with 1,000.
  const there =
    (await node.balance(signer.hotAddress, 'USDT_ETH')) + (await node.balance(address, 'USDT_ETH'));
  expect(there).toBe(1_000n * USDT + amount - delivered);
  await inbound.verified(live.accountId);
  const { rows } = await app.owner.query(
    `select coalesce(sum(b.balance), 0)::text as balance from ledger_account a
       join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.house = 'A.custody' and a.currency = 'USDT_ETH'`,
  );
  // An asset stands below nothing.
  expect(BigInt(rows[0].balance)).toBe(delivered - amount);
});
