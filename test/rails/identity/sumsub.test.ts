/**
 * Goal: Sumsub is asked as it wants to be asked, and its callbacks count by its own answer (docs.sumsub.com). Method: the rail against the
 * Sumsub dialect of `crossramp checks`, over HTTP, on a real database; callbacks by the rail's own handler.
 */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSumsub, type IdentityPart } from '../../../src/rails/identity/index.ts';
import { openCase } from '../../../src/resolvers/cases/store-case.ts';
import { liveClock } from '../../../src/resolvers/services/clock.ts';
import { readCasesOf } from '../../../src/store/account/customer-cases.ts';
import { useApp } from '../../support/app.ts';
import { startTestChecks, type TestChecks } from '../../support/checks.ts';

const app = useApp({});
const TAX_ID = '52998224725';
let checks: TestChecks;
let rail: IdentityPart;
let accountId: bigint;
let url: string;
const server = createServer((request, response) => {
  void rail.handle?.(request, response, (request.url ?? '/').slice(1));
});

beforeAll(async () => {
  checks = await startTestChecks({ dialect: 'sumsub' });
  const { secrets } = checks;
  rail = createSumsub(
    {
      ...{ timeoutMs: 2_000, pollMs: 0, giveUpMs: 3_600_000, recheckMs: 0, validMs: 86_400_000 },
      ...{ url: checks.url, token: secrets.appToken, secret: secrets.appSecret },
      levelNames: new Map([['VERIFIED', 'id-and-liveness']]),
      callbackSecret: secrets.callbackSecret,
    },
    {
      ...{ mode: 'live', database: app.database, clock: liveClock(app.database) },
      receive: () => Promise.reject(new Error('no event of money')),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    },
  );
  accountId = (await app.addAccount({ mode: 'live' })).accountId;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await checks?.close();
});

const read = async (taxId = TAX_ID) => {
  const [row] = await readCasesOf(app.database, accountId, taxId);
  if (!row) throw new Error('there is no case');
  return row;
};
const open = (taxId: string, name: string) =>
  app.database.withTx((tx) =>
    openCase(
      tx,
      { accountId, taxId, level: 'VERIFIED' },
      { name, provider: 'sumsub', nowMs: Date.now() - 1_000 },
    ),
  );

async function call(body: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(url, { method: 'POST', body, headers })).status;
}
const signed = (body: string, secret: string, algorithm = 'sha256') => ({
  'x-payload-digest': createHmac(algorithm, secret).update(body).digest('hex'),
  'x-payload-digest-alg': `HMAC_${algorithm.toUpperCase()}_HEX`,
});

describe('Sumsub', () => {
  test('is queried by signed requests, and identifies the customer by the gateway’s case id', async () => {
    await open(TAX_ID, 'Ana Maria Souza');
    await rail.poll();
    const row = await read();
    expect(row).toMatchObject({ state: 'pending', decision: 'pending' });
    const [applicant] = await checks.applicants();
    expect(applicant).toMatchObject({
      ...{ externalId: row.externalId, id: row.providerReference, taxId: TAX_ID, name: 'Ana Maria Souza' },
      level: 'id-and-liveness',
    });
    expect(await rail.port.cases?.link?.(row)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/verify\//);
  });

  test.each([
    ['review', 'review', []],
    ['retry', 'retry', ['DOCUMENT_PAGE_MISSING']],
    ['approved', 'approved', []],
  ] as const)('%s is %s, with its labels', async (decision, state, reasons) => {
    await checks.decide((await read()).externalId, decision, reasons);
    await rail.poll();
    expect(await read()).toMatchObject({ state, reasons });
  });

  test('RED after GREEN revokes the approval', async () => {
    await checks.decide((await read()).externalId, 'denied', ['FRAUDULENT_PATTERNS']);
    await rail.poll();
    expect(await read()).toMatchObject({
      state: 'denied',
      isLateDenial: true,
      reasons: ['FRAUDULENT_PATTERNS'],
    });
  });

  test('C-36: a callback with a valid digest is stored and triggers a poll; its own content does not count', async () => {
    const taxId = '11144477735';
    const { externalId } = await open(taxId, 'Bruno Lima');
    await rail.poll();
    const body = JSON.stringify({
      ...{ externalUserId: externalId, type: 'applicantReviewed', reviewStatus: 'completed' },
      reviewResult: { reviewAnswer: 'GREEN' },
    });
    for (const algorithm of ['sha256', 'sha512', 'sha1'])
      expect(await call(body, signed(body, checks.secrets.callbackSecret, algorithm))).toBe(200);
    await rail.poll();
    expect(await read(taxId)).toMatchObject({ state: 'pending' });
    const { rows } = await app.owner.query(
      `select event from case_evidence where case_id = $1 and event = 'callback'`,
      [String((await read(taxId)).id)],
    );
    expect(rows).toHaveLength(3);
  });

  test.each([
    ['another secret', (body: string) => signed(body, 'another secret')],
    ['no signature', () => ({})],
    ['an algorithm that is not agreed', (body: string) => signed(body, checks.secrets.callbackSecret, 'md5')],
  ])('C-36: a callback with %s is refused', async (_name, headers) => {
    const body = JSON.stringify({ externalUserId: (await read()).externalId });
    expect(await call(body, headers(body))).toBe(403);
  });

  test('C-36: a callback about an unknown case is not answered with 2xx', async () => {
    const body = JSON.stringify({ externalUserId: 'crx-nobody' });
    expect(await call(body, signed(body, checks.secrets.callbackSecret))).toBe(404);
  });

  test('reports in doctor whether the provider answers', async () => {
    expect((await rail.checks()).map(({ check, ok }) => [check, ok])).toEqual([
      ['provider', true],
      ['cases', true],
      ['callbacks', true],
    ]);
  });
});
