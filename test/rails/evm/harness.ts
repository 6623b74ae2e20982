/** A rail of Ethereum on a real node, with all its events, which go nowhere else. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { evmAddress } from '../../../src/base/chain/address.ts';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createEvm, readEvmSettings } from '../../../src/rails/evm/index.ts';
import type { RailEvent } from '../../../src/resolvers/services/rail-event.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { type TestSigner, testSigner } from '../../support/test-signer.ts';

/** Somebody who has money of all kinds, and somebody who gets some. */
export const PAYER = evmAddress(Buffer.from('a11c'.repeat(10), 'hex'));
export const PAYEE = evmAddress(Buffer.from('b0b1'.repeat(10), 'hex'));
/** One USDT, and one ETH. */
export const USDT = 10n ** 6n;
export const ETHER = 10n ** 18n;
/** Blocks until a transfer is final. */
export const FINAL = 3;

/** Settings of a test, over those of its file. */
type Own = Readonly<Record<string, unknown>> & { readonly stuckMs?: number };

/** What the tests of a file work with. */
export interface Network extends TestDatabase {
  node: EvmNode;
  signer: TestSigner;
  /** What was told, the oldest first. */
  readonly events: RailEvent[];
  /** What was logged as an error. */
  readonly alarms: string[];
  /** How often `receive` fails before it accepts events again. */
  lost: number;
  rail: NetworkRail;
  /** Another process's rail, or one with other settings. */
  readonly make: (settings?: Own) => NetworkRail;
  /** The process dies, and another one takes over when its lease has ended. */
  readonly takeOver: (settings?: Own) => Promise<void>;
  /** Turns until nothing changes. */
  readonly turns: (count?: number) => Promise<void>;
  /** Events of these kinds, in short. */
  readonly told: (...kinds: RailEvent['kind'][]) => unknown[];
  /** A new deposit address. */
  readonly address: (currency?: string) => Promise<string>;
  /** Orders a transfer from the hot wallet. */
  readonly send: (key: string, amount: bigint, currency?: string) => Promise<unknown>;
}

/** Starts a node and a rail for the tests of a file; each test has a database without networks. */
export function useNetwork(settings: Readonly<Record<string, unknown>> = {}): Network {
  const network = useDatabase() as Network;
  const event: RailEvent[] = [];
  const alarms: string[] = [];
  const error = (_facts: object, words: string) => void alarms.push(words);
  const log = { info: () => {}, warn: () => {}, error } as never;
  Object.assign(network, {
    events: event,
    alarms,
    lost: 0,
    make: ({ stuckMs = 3_600_000, ...own }: Own = {}) => {
      const { xpub, hotAddress } = network.signer;
      const given = { kind: 'evm', providers: [network.node.url], confirmations: FINAL, xpub, hotAddress };
      const read = readEvmSettings({ ...given, ...settings, ...own }, 'live.networks.ETH', 'ETH');
      return createEvm(
        { ...read, pollMs: 1, stuckMs },
        {
          mode: 'live',
          network: 'ETH',
          database: network.database,
          clock: SYSTEM_CLOCK,
          signer: network.signer,
          log,
          receive: async (told) => {
            if (network.lost > 0) {
              network.lost -= 1;
              throw new Error('the database is unreachable');
            }
            event.push(told);
            return { outcome: 'noted' };
          },
        },
      );
    },
    takeOver: async (own?: Own) => {
      await network.owner.query(`update chain_network set leased_until = '2020-01-01'`);
      network.rail = network.make(own);
    },
    turns: async (count = 3) => {
      for (let turn = 0; turn < count; turn++) await network.rail.cycle();
    },
    told: (...kinds: RailEvent['kind'][]) =>
      event.filter(({ kind }) => kinds.includes(kind)).map((each) => `${each.kind} ${nameOf(each)}`),
    address: (currency = 'USDT_ETH') => network.rail.port.depositAddress(currencyOfLedger(currency)),
    send: (key: string, amountMinor: bigint, currency = 'USDT_ETH') =>
      network.rail.port.send({
        key,
        row: {} as ProcessRow,
        currency: currencyOfLedger(currency),
        to: PAYEE,
        amountMinor,
      }),
  } satisfies Partial<Network>);
  beforeAll(async () => {
    network.node = await startEvmNode();
  });
  afterAll(() => network.node?.stop());
  beforeEach(async () => {
    event.length = 0;
    alarms.length = 0;
    network.lost = 0;
    await network.owner.query(
      'truncate chain_network, chain_block, chain_address, chain_order, chain_attempt, chain_arrival',
    );
    network.signer = testSigner(`wallet ${Math.random()}`);
    await network.node.forget();
    for (const who of [PAYER, network.signer.hotAddress]) {
      await network.node.give(who, 100n * ETHER);
      await network.node.give(who, 1_000_000n * USDT, 'USDT_ETH');
      await network.node.give(who, 1_000_000n * USDT, 'USDC_ETH');
    }
    await network.node.give(PAYEE, 0n, 'USDT_ETH');
    await network.node.mine(FINAL);
    network.rail = network.make();
    await network.turns(1);
  });
  return network;
}

/** Two providers of the node, one of which a test bends; each test finds it straight again. */
export function useTwoProviders(network: Network): { readonly honest: RpcProxy; readonly bent: RpcProxy } {
  const two = {} as { honest: RpcProxy; bent: RpcProxy };
  beforeAll(async () => {
    two.honest = await startRpcProxy(network.node.url);
    two.bent = await startRpcProxy(network.node.url);
  });
  afterAll(async () => {
    await two.honest.stop();
    await two.bent.stop();
  });
  beforeEach(() => {
    two.bent.twist = undefined;
    two.bent.isDead = false;
  });
  return two;
}

function nameOf(event: RailEvent): string {
  if ('address' in event) return `${event.amount} ${event.currency}`;
  if ('order' in event) return String(event.order);
  return '';
}
