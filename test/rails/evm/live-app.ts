/** The whole application with a rail of Ethereum on a real node under live accounts; PIX, rates and liquidity are doubles. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { toMinor } from '../../../src/base/money/money.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createEvm, readEvmSettings } from '../../../src/rails/evm/index.ts';
import type { RailPart } from '../../../src/resolvers/services/rail-part.ts';
import { inboundOf, pixFor } from '../../resolvers/inbound/support.ts';
import { type TestApp, useApp } from '../../support/app.ts';
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import type { TestSigner } from '../../support/test-signer.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT } from './harness.ts';

const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const ROUNDS_MAX = 1_000;

/** What came of a deposit that was paid and a delivery that left. */
export interface Traded {
  /** Where the deposit came to, and how much it was (millionths of a USDT). */
  readonly address: string;
  readonly deposited: bigint;
  /** The `end2end` of what was bought. */
  readonly bought: string;
}

/** What the tests of a file work with. */
export interface LiveEvm {
  readonly app: TestApp;
  readonly inbound: ReturnType<typeof inboundOf>;
  /** There once the tests run. */
  readonly node: EvmNode;
  readonly rail: NetworkRail;
  /** Makes blocks, and lets the rail read them, until something is so. */
  readonly until: (isSo: () => Promise<boolean>) => Promise<void>;
  /** Pays the deposit of an offramp, which is swept, and buys what is delivered to {@link PAYEE}. @param key an API key of a live account */
  readonly trade: (key: string) => Promise<Traded>;
}

/**
 * @param own settings of the network, over those that every file has
 * @param isStarted the rail works by itself, as in a gateway; otherwise its turns are those of `until`
 */
export function useLiveEvm(
  signer: TestSigner,
  own: Readonly<Record<string, unknown>> = {},
  { isStarted = false } = {},
): LiveEvm {
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
  const live = {
    pix: () => part(LIVE_RAILS.pix),
    signer: () => part(signer),
    rates: () => part(LIVE_RAILS.rates),
    liquidity: () => part(LIVE_RAILS.liquidity),
    identity: 'off' as const,
    screening: 'off' as const,
    networks: new Map([
      [
        'ETH',
        (tools: Parameters<typeof createEvm>[1]) => {
          const { xpub, hotAddress } = signer;
          const given = { kind: 'evm', providers: [node.url], confirmations: FINAL, xpub, hotAddress };
          const fees = { networkFees: { USDT_ETH: '2.50' } };
          const settings = readEvmSettings({ ...given, ...fees, ...own }, 'live.networks.ETH', 'ETH');
          rail = createEvm({ ...settings, pollMs: isStarted ? 20 : 1 }, tools);
          return rail;
        },
      ],
    ]),
  };
  const app = useApp({ railsFile: { live } });
  const inbound = inboundOf(app);
  let working: readonly { readonly stop: () => Promise<void> }[] = [];
  beforeAll(async () => {
    if (isStarted)
      working = app.services.forMode('live').railParts.flatMap((each) => each.part.start?.() ?? []);
    else await rail.cycle();
  });
  afterAll(() => Promise.all(working.map((each) => each.stop())));

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (await isSo()) return;
      await node.mine();
      if (!isStarted) await rail.cycle();
      await sleep(20);
    }
    throw new Error('it did not come to that');
  }
  async function trade(key: string): Promise<Traded> {
    const offer = { from: 'external', currency_entry_paid_code: 'USDT_ETH', amount_paid: '20' };
    const payout = { pix_key: CUSTOMER.client_tax_id, pix_key_type: 'cpf' };
    const sold = await app.post('/v2/offramp', { ...offer, ...payout, ...CUSTOMER }, { key });
    expect(sold.status, sold.text).toBe(201);
    await until(async () => (await inbound.rowOf(sold.json.end2end)).depositAddress !== null);
    const row = await inbound.rowOf(sold.json.end2end);
    const address = row.depositAddress as string;
    const deposited = toMinor(row.exactDepositAmount as string, 6);
    await node.pay(PAYER, address, deposited, 'USDT_ETH');
    await until(async () => (await inbound.rowOf(row.end2end)).component === 'pix_out');
    await until(async () => (await node.balance(address, 'USDT_ETH')) === 0n);
    const order = { currency_exit_received_code: 'USDT_ETH', amount_payment: '100.00', wallet: PAYEE };
    const bought = await app.post('/v2/onramp', { ...order, ...CUSTOMER }, { key });
    expect(bought.status, bought.text).toBe(201);
    const { end2end } = bought.json;
    await until(async () => (await inbound.rowOf(end2end)).process?.txid !== undefined);
    await app.services.forMode('live').receive(pixFor(await inbound.rowOf(end2end)));
    await until(async () => (await inbound.rowOf(end2end)).component === 'success');
    return { address, deposited, bought: end2end };
  }
  return {
    app,
    inbound,
    until,
    trade,
    get node() {
      return node;
    },
    get rail() {
      return rail;
    },
  };
}
