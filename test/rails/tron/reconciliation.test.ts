/**
 * Goal: reconciliation of TRON finds what differs, and nothing else. Method: the whole application with the rail of TRON in place of the
 * sandbox's, a node of the test, the signer behind its socket; the suite of all networks.
 */
import { beforeAll, expect, vi } from 'vitest';
import { toMinor } from '../../../src/base/money/money.ts';
import { inboundOf } from '../../resolvers/inbound/support.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { useOneDay } from '../../support/one-day.ts';
import { reconciles } from '../reconciled.ts';
import { addressOf, FINAL, HOT, ONE, useSandboxTron } from './sandbox-app.ts';

const STRANGER = addressOf(0x71);
const THIEF = addressOf(0x72);
const PAYEE = addressOf(0x73);
const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
useOneDay();
const tron = useSandboxTron({ sweep: { USDT_TRX: '15' } });
const { app } = tron;
const inbound = inboundOf(app);
beforeAll(() => {
  for (const code of ['TRX', 'USDT'] as const) tron.node.give(STRANGER, code, 1_000n * ONE);
  tron.node.mine(FINAL);
});

const codeOf = (currency: string) => (currency === 'TRX_TRX' ? 'TRX' : 'USDT');
const until = (isSo: () => Promise<boolean>) =>
  vi.waitFor(
    async () => {
      if (await isSo()) return;
      tron.node.mine(4);
      await tron.rail.cycle();
      throw new Error('it did not come to that');
    },
    { timeout: 60_000, interval: 20 },
  );

/** A session is paid by a deposit, which is swept, and a delivery leaves. */
async function live(): Promise<void> {
  const shop = await app.addAccount();
  const { trigger } = graphqlClient(app, () => shop.apiKey);
  const sold = await inbound.offrampInstant(shop);
  await until(async () => (await inbound.rowOf(sold.end2end)).depositAddress !== null);
  const row = await inbound.rowOf(sold.end2end);
  const address = row.depositAddress as string;
  tron.node.pay(STRANGER, address, 'USDT', toMinor(row.exactDepositAmount as string, 6));
  await until(async () => ['pix_out', 'success'].includes((await inbound.rowOf(row.end2end)).component));
  await until(async () => tron.node.balance(address, 'USDT') === 0n);
  const wanted = {
    currency_exit_received_code: 'USDT_TRX',
    amount_payment: '100.00',
    wallet: PAYEE,
    ...CUSTOMER,
  };
  const bought = await app.post('/v2/onramp', wanted, { key: shop.apiKey });
  expect(bought.status, bought.text).toBe(201);
  await trigger(bought.json.end2end, 'pay');
  await until(async () => (await inbound.rowOf(bought.json.end2end)).component === 'success');
  await until(async () => {
    const { rows } = await app.owner.query('select 1 from chain_order where ended_at is null');
    return rows.length === 0;
  });
  await tron.rail.cycle();
  await tron.rail.cycle();
}

reconciles({
  app,
  mode: 'sandbox',
  network: 'TRX',
  token: 'USDT_TRX',
  coin: 'TRX_TRX',
  other: 'TRX_TRX',
  hot: () => HOT,
  stranger: STRANGER,
  thief: THIEF,
  rail: () => tron.rail,
  pay: async (from, to, minor, currency) => tron.node.pay(from, to, codeOf(currency), minor),
  settle: async () => tron.node.mine(FINAL),
  give: async (address, minor, currency) => tron.node.give(address, codeOf(currency), minor),
  live,
});
