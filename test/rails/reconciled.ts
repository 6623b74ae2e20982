/**
 * What every network holds of reconciliation (C-33, C-34): where all agrees nothing is found, and a difference of every kind is found, by its
 * kind. Differences are planted on the node, in what is told, and in what the rail has on record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { currencyOfLedger } from '../../src/base/money/currency.ts';
import { fromMinor, toMinor } from '../../src/base/money/money.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../src/base/time/brasilia-day.ts';
import type { Instant } from '../../src/base/time/instant.ts';
import { operatorContext } from '../../src/cli/with-store.ts';
import { capitalPaidIn } from '../../src/ledger/journals.ts';
import type { NetworkRail } from '../../src/rails/chain/rail.ts';
import type { Finding } from '../../src/resolvers/reconciliation/finding.ts';
import { type Reconciliation, reconcile } from '../../src/resolvers/reconciliation/reconcile.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { lockHeads } from '../../src/store/engine/processes.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { storeArrival } from '../../src/store/rails/chain-arrivals.ts';
import { readNetwork } from '../../src/store/rails/chain-network.ts';
import type { TestApp } from '../support/app.ts';

/** A gateway with the rail of a network, and the network. */
export interface ReconciledNetwork {
  readonly app: TestApp;
  readonly mode: 'sandbox' | 'live';
  readonly network: string;
  /** Raw ledger codes: a token, the coin, and something else that the network has. */
  readonly token: string;
  readonly coin: string;
  readonly other: string;
  readonly hot: () => string;
  /** Somebody who has enough of all, and somebody else. */
  readonly stranger: string;
  readonly thief: string;
  readonly rail: () => NetworkRail;
  /** A transfer of anybody. @returns its hash. */
  readonly pay: (from: string, to: string, minor: bigint, currency: string) => Promise<string>;
  /** Makes blocks until what was in the newest one is final. */
  readonly settle: () => Promise<void>;
  /** Gives an address something that no transfer brought. */
  readonly give: (address: string, minor: bigint, currency: string) => Promise<void>;
  /** Makes a deposit, a delivery and what belongs to them, until all is booked. */
  readonly live: () => Promise<void>;
}

let told = 0;

/** Registers the tests of a network. */
export function reconciles(net: ReconciledNetwork): void {
  const one = 10n ** BigInt(currencyOfLedger(net.token).decimals);
  const { app, mode, network, token } = net;
  const key = { mode, network };

  const minorOf = (text: string, currency = token) => toMinor(text, currencyOfLedger(currency).decimals);
  const report = async (given?: string): Promise<Reconciliation> => {
    const context = await operatorContext(app.services, await platformAccount(app.database, mode));
    const day = given ?? brasiliaDay(await app.services.forMode(mode).clock.nowMs());
    const input = { rail: { name: 'rail', value: network }, day: { name: 'day', value: day } };
    return reconcile(context, input, { made: null, bind: async () => {} });
  };
  const address = () => net.rail().port.depositAddress(currencyOfLedger(token));
  const hashOf = (each: number) => (network === 'TRX' ? '' : '0x') + each.toString(16).padStart(64, 'e');
  const unknownHash = () => {
    told += 1;
    return hashOf(told);
  };
  const deposit = (txHash: string, to: string, minor: bigint, currency = token) =>
    app.services.forMode(mode).receive({
      ...{ kind: 'deposit_confirmed', txHash, logIndex: 0, address: to, currency },
      amount: fromMinor(minor, currencyOfLedger(currency).decimals),
      from: net.stranger,
      seenAt: new Date().toISOString(),
    });
  /** What is in the next blocks is final, and the rail never looks at it. */
  const unseen = async <Made>(what: () => Promise<Made>): Promise<Made> => {
    const made = await what();
    await net.settle();
    await app.owner.query(
      `update chain_network set height = null, hash = null, final_height = null where mode = $1 and network = $2`,
      [mode, network],
    );
    await net.rail().cycle();
    await net.rail().cycle();
    return made;
  };
  const capital = async (currency: string, minor: bigint) => {
    const accountId = await platformAccount(app.database, mode);
    told += 1;
    const request = {
      ...{ accountId, ref: `capital:${told}`, transactionId: null },
      journal: capitalPaidIn(currencyOfLedger(currency), minor),
    };
    const at = new Date(await app.services.forMode(mode).clock.nowMs());
    await app.database.withTx(async (tx) => {
      await lockHeads(tx, [accountId], mode);
      await postJournals(tx, [request], at);
    });
  };

  test('deposits, deliveries, sweeps, gas and balances agree', async () => {
    const before = await report();
    for (const { currency, there, here, inFlight } of before.balances) {
      expect(inFlight).toBe('0');
      // What the wallet began with came by no transfer.
      await capital(currency, minorOf(there, currency) - minorOf(here, currency));
    }
    await net.live();
    const found = await report();
    expect(found.findings).toEqual([]);
    expect(found).toMatchObject({ rail: network, missingHere: 0, missingThere: 0, amountDiffers: 0 });
    expect(found).toMatchObject({ detailsDiffer: 0, balancesDiffer: 0 });
    expect(found.matched).toBeGreaterThanOrEqual(4);
    expect(found.balances.map(({ agrees }) => agrees)).not.toContain(false);
    expect(found.balances.map(({ currency }) => currency)).toContain(net.coin);
  });

  /** What was found before the next difference is planted. */
  let last: Reconciliation | undefined;

  /** Plants a difference, and what is found of it: all that was not found before. */
  const plants: readonly (readonly [string, () => Promise<void>, Partial<Finding>])[] = [
    [
      'a deposit that was never told',
      async () => void (await unseen(async () => net.pay(net.stranger, await address(), 7n * one, token))),
      { finding: 'missing_here', kind: 'deposit', amountThere: '7', why: 'the rail never told it' },
    ],
    [
      'a deposit that the network does not have',
      async () => void (await deposit(unknownHash(), await address(), 8n * one)),
      { finding: 'missing_there', kind: 'deposit', amountHere: '8' },
    ],
    [
      'a deposit that was told with another amount',
      async () => {
        const to = await address();
        const hash = await unseen(() => net.pay(net.stranger, to, 9n * one, token));
        await deposit(hash, to, 10n * one);
      },
      { finding: 'amount_differs', kind: 'deposit', amountThere: '9', amountHere: '10' },
    ],
    [
      'a deposit that was told in another currency',
      async () => {
        const to = await address();
        const hash = await unseen(() => net.pay(net.stranger, to, 11n * one, token));
        await deposit(hash, to, 11n * one, net.other);
      },
      { finding: 'details_differ', kind: 'deposit', amountThere: '11', currency: token },
    ],
    [
      'a deposit that was told to another address',
      async () => {
        const [to, elsewhere] = [await address(), await address()];
        await net.pay(net.stranger, to, 12n * one, token);
        await net.settle();
        await net.rail().cycle();
        await net.rail().cycle();
        await app.owner.query(
          `update chain_arrival set address = $2 where address = $1 and amount_minor = $3`,
          [...[to, elsewhere, String(12n * one)]],
        );
      },
      { finding: 'details_differ', kind: 'deposit', amountThere: '12', amountHere: '12' },
    ],
    [
      'a transfer out that nobody ordered',
      async () => {
        await net.pay(net.hot(), net.thief, 3n * one, token);
        await net.settle();
        await net.rail().cycle();
        await net.rail().cycle();
      },
      { finding: 'missing_here', kind: 'transfer', amountThere: '3', why: expect.stringContaining('key') },
    ],
    [
      'money for the hot wallet that nobody booked',
      async () => {
        await net.pay(net.stranger, net.hot(), 4n * one, token);
        await net.settle();
        await net.rail().cycle();
        await net.rail().cycle();
      },
      { finding: 'missing_here', kind: 'funding', amountThere: '4', why: expect.stringContaining('capital') },
    ],
    [
      'gas of a transaction that the network does not have',
      async () => {
        const gas = { currency: net.coin, amountMinor: '1000' };
        await app.services
          .forMode(mode)
          .receive({ kind: 'gas_spent', order: null, txHash: unknownHash(), gas });
      },
      { finding: 'missing_there', kind: 'gas', currency: net.coin },
    ],
    [
      'a sweep that the network does not have',
      async () => {
        const { rows } = await app.owner.query(
          `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, from_address, key_index, due_at,
             ordered_at, state, ended_at)
           values ($1, $2, 'sweep:9999:1', 'sweep', $3, $4, 500, $5, 9999, now(), now(), 'confirmed', now()) returning id`,
          [mode, network, token, net.hot(), await address()],
        );
        await app.owner.query(
          `insert into chain_attempt (order_id, number, unsigned, cost_minor, made_at, raw, hash, signed_at)
           values ($1, 1, '', 0, now(), '', $2, now())`,
          [rows[0].id, unknownHash()],
        );
      },
      { finding: 'missing_there', kind: 'sweep', amountHere: fromMinor(500n, 6) },
    ],
  ];

  describe('a planted difference is found', () => {
    const isMoved = ({ kind }: Finding) => kind !== 'balance';

    test.each(plants)('%s', async (_name, plant, expected) => {
      const before = last ?? (await report());
      await plant();
      const after = await report();
      last = after;
      const known = before.findings.map((each) => JSON.stringify(each));
      const found = after.findings.filter(isMoved).filter((each) => !known.includes(JSON.stringify(each)));
      expect(found).toEqual([expect.objectContaining(expected)]);
      expect(after.matched).toBeGreaterThanOrEqual(before.matched - 1);
    });

    test('findings do not depend on how slowly the clock answers', async () => {
      const { clock } = app.services.forMode(mode);
      const { nowMs } = clock;
      const found = (await report()).findings.filter(isMoved);
      vi.spyOn(clock, 'nowMs').mockImplementation(async (tx) => {
        const answer = await nowMs(tx);
        await sleep(20);
        return answer;
      });
      try {
        expect((await report()).findings.filter(isMoved)).toEqual(found);
      } finally {
        vi.restoreAllMocks();
      }
      expect(found).not.toEqual([]);
    });

    test('a past day is reported only once a later block is final, since a block of the day could be missing before', async () => {
      const { clock } = app.services.forMode(mode);
      const nowMs = await clock.nowMs();
      const day = brasiliaDay(nowMs);
      expect(await report(day)).toMatchObject({ day });
      vi.spyOn(clock, 'nowMs').mockResolvedValue(brasiliaMidnight(dayAfter(day)) + 60_000);
      try {
        await expect(report(day)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      } finally {
        vi.restoreAllMocks();
      }
    });

    test('an unexplained balance is a finding until it is booked', async () => {
      const differs = async () => {
        const { findings } = await report();
        return findings.flatMap(({ kind, currency, amountThere, amountHere }) => {
          if (kind !== 'balance' || currency !== token) return [];
          return [minorOf(amountThere ?? '0') - minorOf(amountHere ?? '0')];
        })[0];
      };
      const before = (await differs()) ?? 0n;
      await net.give(net.hot(), 5n * one, token);
      await net.settle();
      await net.rail().cycle();
      await net.rail().cycle();
      expect(await differs()).toBe(before + 5n * one);
      await capital(token, before + 5n * one);
      expect(await differs()).toBeUndefined();
    });

    test('a manual booking ends the finding', async () => {
      const fundings = async () =>
        (await report()).findings
          .filter(({ kind }) => kind === 'funding')
          .map(({ amountThere }) => amountThere);
      expect(await fundings()).toEqual(['4']);
      await capital(token, 4n * one);
      expect(await fundings()).toEqual([]);
    });
  });

  test('a transfer in a block that is not booked yet counts as in flight, and not as a difference', async () => {
    const balance = async () => (await report()).balances.find(({ currency }) => currency === token);
    const before = await balance();
    const to = await address();
    const txHash = await unseen(() => net.pay(net.stranger, to, 13n * one, token));
    const { finalHeight } = (await readNetwork(app.database, key)) ?? {};
    const height = finalHeight ?? 0;
    const arrival = { txHash, logIndex: 0, address: to, currency: token, amountMinor: 13n * one, height };
    const at = new Date().toISOString() as Instant;
    const rest = { blockHash: '', from: net.stranger, seenAt: at, state: 'confirmed' } as const;
    await storeArrival(app.database, key, { ...arrival, ...rest });
    const now = await balance();
    expect(minorOf(now?.there ?? '') - minorOf(before?.there ?? '')).toBe(13n * one);
    expect(now).toMatchObject({ here: before?.here, inFlight: '13', agrees: before?.agrees });
  });
}
