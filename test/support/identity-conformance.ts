/**
 * The suite that the author of an identity rail runs (docs/rails.md#writing-a-rail): whatever the provider does, no customer is approved
 * without its word, and none is begun twice. The suite drives a double of the provider over the wire.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openCase } from '../../src/resolvers/cases/store-case.ts';
import { liveClock } from '../../src/resolvers/services/clock.ts';
import type { RailPart, RailTools } from '../../src/resolvers/services/rail-part.ts';
import type { IdentityCheck } from '../../src/resolvers/services/rails.ts';
import { type CaseDecision, type CustomerCase, readCasesOf } from '../../src/store/account/customer-cases.ts';
import type { TestApp } from './app.ts';

/** A signed callback about a case. */
export interface SignedCallback {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A double of the provider. It sends no callbacks itself: each decision has to be found by polling. */
export interface IdentityDouble {
  /** Settings as they are in RAILS_FILE: the level `VERIFIED`, polled each second. */
  readonly settings: object;
  readonly decide: (externalId: string, decision: CaseDecision) => Promise<void>;
  /**
   * Sets what happens to all requests: `away` refuses them, `lost` processes them without an answer, `unreadable` answers with
   * text of another form.
   */
  readonly fail: (how: 'away' | 'lost' | 'unreadable' | 'never') => Promise<void>;
  /** Number of checks that it has under our id of a case. */
  readonly checksOf: (externalId: string) => Promise<number>;
  /** A callback that reports an approval. @param isForged - signed with another secret. */
  readonly callback: (externalId: string, isForged: boolean) => SignedCallback;
  readonly close: () => Promise<void>;
}

/** An identity rail. */
export interface IdentityUnderTest {
  /** Kind, as settings call it. */
  readonly kind: string;
  readonly provider: () => Promise<IdentityDouble>;
  readonly make: (settings: unknown, tools: RailTools) => RailPart<IdentityCheck>;
}

const PATIENCE = { timeout: 60_000, interval: 100 };
const TAX_IDS = ['52998224725', '11144477735', '39053344705', '15350946056', '86288366757'];

/** Runs the suite. */
export function identityConforms(app: TestApp, { kind, provider, make }: IdentityUnderTest): void {
  describe(`identity ${kind}`, () => {
    let double: IdentityDouble;
    let rail: RailPart<IdentityCheck>;
    let accountId: bigint;
    let origin = '';
    const taxIds = [...TAX_IDS];
    const ends: (() => unknown)[] = [];

    beforeAll(async () => {
      double = await provider();
      rail = make(double.settings, {
        ...{ mode: 'live', database: app.database, clock: liveClock(app.database) },
        receive: () => Promise.reject(new Error('an identity rail reports no money')),
        log: { info: () => {}, warn: () => {}, error: () => {} },
      });
      accountId = (await app.addAccount({ mode: 'live' })).accountId;
      const server = createServer((request, response) => {
        void rail.handle?.(request, response, (request.url ?? '/').slice(1));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const running = rail.start?.();
      ends.push(
        () => running?.stop(),
        () => double.close(),
        () => server.closeAllConnections(),
        () => server.close(),
      );
    });
    afterAll(async () => {
      for (const end of ends) await end();
    });

    const read = async ({ taxId }: Pick<CustomerCase, 'taxId'>): Promise<CustomerCase> => {
      const [row] = await readCasesOf(app.database, accountId, taxId);
      if (!row) throw new Error('there is no case');
      return row;
    };
    const open = (): Promise<CustomerCase> => {
      const taxId = taxIds.pop() as string;
      const key = { accountId, taxId, level: 'VERIFIED' } as const;
      return app.database.withTx((tx) =>
        openCase(tx, key, { name: 'Ana Souza', provider: kind, nowMs: Date.now() - 1_000 }),
      );
    };
    const reaches = (row: CustomerCase, expected: object) =>
      vi.waitFor(async () => expect(await read(row)).toMatchObject(expected), PATIENCE);
    const failsAtFirst = (row: CustomerCase) =>
      vi.waitFor(async () => expect((await read(row)).failure).not.toBeNull(), PATIENCE);
    const call = async ({ headers, body }: SignedCallback) =>
      (await fetch(origin, { method: 'POST', headers, body })).status;

    test('names its provider, and checks the levels of its settings', () => {
      expect(rail.port.cases).toMatchObject({ provider: kind, levels: ['VERIFIED'] });
      expect(rail.port.cases?.validMs).toBeGreaterThan(0);
    });

    test('finds every decision by polling, also a denial after an approval; the link is safe for a browser', async () => {
      const row = await open();
      expect(await rail.port.cases?.link?.(row)).toBeNull();
      await reaches(row, { state: 'pending' });
      const link = await rail.port.cases?.link?.(await read(row));
      if (typeof link === 'string') expect(link).toMatch(/^(https:|http:\/\/127\.0\.0\.1)/);
      for (const decision of ['review', 'retry', 'approved', 'denied'] as const) {
        await double.decide(row.externalId ?? '', decision);
        await reaches(row, { state: decision });
      }
      expect(await read(row)).toMatchObject({ isLateDenial: true });
    });

    test.each([
      'away',
      'unreadable',
    ] as const)('approves no one while the provider is %s, and continues afterwards', async (how) => {
      await double.fail(how);
      const row = await open();
      await failsAtFirst(row);
      expect(['open', 'pending']).toContain((await read(row)).state);
      const isFailing = async () => (await rail.checks()).some(({ ok }) => !ok);
      await vi.waitFor(async () => expect(await isFailing()).toBe(true), PATIENCE);
      await double.fail('never');
      await reaches(row, { state: 'pending', failure: null });
      await double.decide(row.externalId ?? '', 'approved');
      await reaches(row, { state: 'approved' });
    });

    test('begins a check once where the answer was lost', async () => {
      await double.fail('lost');
      const row = await open();
      await failsAtFirst(row);
      await double.fail('never');
      await reaches(row, { state: 'pending', failure: null });
      expect(await double.checksOf(row.externalId ?? '')).toBe(1);
    });

    test('C-36: stores a signed callback before it answers, and believes the provider alone', async () => {
      if (!rail.handle) return;
      const row = await open();
      await reaches(row, { state: 'pending' });
      const noted = async () => {
        const { rows } = await app.owner.query(
          `select 1 from case_evidence where case_id = $1 and event = 'callback'`,
          [String(row.id)],
        );
        return rows.length;
      };
      expect(await call(double.callback(row.externalId ?? '', true))).toBe(403);
      expect(await noted()).toBe(0);
      const real = double.callback(row.externalId ?? '', false);
      expect([await call(real), await call(real)]).toEqual([200, 200]);
      expect(await noted()).toBe(2);
      await vi.waitFor(async () => expect((await read(row)).failures).toBe(0), PATIENCE);
      expect(await read(row)).toMatchObject({ state: 'pending' });
      expect(await call(double.callback('crx-unknown', false))).toBe(404);
    });
  });
}
