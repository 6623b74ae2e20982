/**
 * Goal: reconciliation of TRON finds what differs, and nothing else. Method: the whole application with the rail of TRON in place of the
 * sandbox's, a node of the test, the signer behind its socket; the suite of all networks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { tronAddress } from '../../../src/base/address.ts';
import type { RailPlan, RailsFile } from '../../../src/compose/rails-file.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createSigner } from '../../../src/rails/chain/signer-process.ts';
import { createTron, readTronSettings } from '../../../src/rails/tron/index.ts';
import { readPolicy } from '../../../src/signer/policy.ts';
import { openRecord, type SignedRecord } from '../../../src/signer/record.ts';
import { openServer } from '../../../src/signer/serve.ts';
import { createSignerService } from '../../../src/signer/signer.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import { inboundOf } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { startTronNode, type TronNode } from '../../support/tron-node.ts';
import { reconciles } from '../reconciled.ts';

const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
const HOT = wallet.hot.TRX as string;
const [STRANGER, THIEF, PAYEE] = [0x71, 0x72, 0x73].map((byte) =>
  tronAddress(new Uint8Array(20).fill(byte)),
) as [string, string, string];
const ONE = 1_000_000n;
/** Blocks until what was in the newest one is final. */
const FINAL = 20;
const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };

let folder: string;
let node: TronNode;
let record: SignedRecord;
let server: Server;
let rail: NetworkRail;

const overrides: { railsFile?: RailsFile } = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crossramp-reconciled-'));
  record = openRecord(join(folder, 'signed.sqlite'));
  const log = { signed: () => {}, alarm: () => {} };
  const service = createSignerService(wallet, readPolicy(), record);
  server = await openServer(service, { socket: join(folder, 's') }, log, record.refused);
  node = await startTronNode();
  for (const who of [HOT, STRANGER]) {
    node.give(who, 'TRX', 1_000n * ONE);
    node.give(who, 'USDT', 1_000n * ONE);
  }
  node.mine(FINAL);
  const given = { kind: 'tron', providers: [node.url], hotAddress: HOT, xpub: wallet.xpub.TRX };
  const own = { networkFees: { USDT_TRX: '2' }, sweep: { USDT_TRX: '15' } };
  const settings = readTronSettings({ ...given, ...own }, 'sandbox.networks.TRX', 'TRX');
  const plan: RailPlan = {
    pix: undefined,
    rates: undefined,
    liquidity: undefined,
    identity: undefined,
    screening: undefined,
    signer: () => createSigner({ socket: join(folder, 's') }),
    networks: new Map([
      [
        'TRX',
        (tools) => {
          rail = createTron({ ...settings, pollMs: 1 }, tools);
          return rail;
        },
      ],
    ]),
  };
  overrides.railsFile = { sandbox: plan };
});
const app = useApp(overrides);
const inbound = inboundOf(app);
beforeAll(async () => {
  await rail.turn();
});
afterAll(async () => {
  await node.close();
  await new Promise((resolve) => server.close(resolve));
  record.close();
  rmSync(folder, { recursive: true, force: true });
});

const codeOf = (currency: string) => (currency === 'TRX_TRX' ? 'TRX' : 'USDT');
const until = (isSo: () => Promise<boolean>) =>
  vi.waitFor(
    async () => {
      if (await isSo()) return;
      node.mine(4);
      await rail.turn();
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
  node.pay(STRANGER, address, 'USDT', BigInt(Math.round(Number(row.exactDepositAmount) * 1e6)));
  await until(async () => ['pix_out', 'success'].includes((await inbound.rowOf(row.end2end)).component));
  await until(async () => node.balance(address, 'USDT') === 0n);
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
  await rail.turn();
  await rail.turn();
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
  rail: () => rail,
  pay: async (from, to, minor, currency) => node.pay(from, to, codeOf(currency), minor),
  settle: async () => node.mine(FINAL),
  give: async (address, minor, currency) => node.give(address, codeOf(currency), minor),
  live,
});
