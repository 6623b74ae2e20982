/**
 * Goal: the operator sees how each configured rail is, by GraphQL, on the console and by `doctor`, and nobody else does (C-40).
 * Method: a sandbox whose PIX is a double with checks of its own, one of which hangs, and whose rates come from feeds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RailPlan } from '../../src/compose/rails-file.ts';
import { createRates, readRateSettings } from '../../src/rails/rates/index.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { storeFailure, storePrices } from '../../src/store/rails/rate-feeds.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { visit } from '../support/console.ts';
import { newHome } from '../support/home.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { signInAs } from '../support/people.ts';

const prices = [{ asset: 'USDT', path: '$.last' }];
const RATES = {
  feeds: ['alpha', 'beta', 'gamma'].map((name) => ({ name, url: `https://${name}.invalid/v1`, prices })),
};
const PLAN: RailPlan = {
  pix: () => ({
    port: LIVE_RAILS.pix,
    checks: async () => [{ check: 'certificate', ok: false, detail: 'ends in 3 days' }],
  }),
  networks: new Map(),
  signer: () => ({
    port: { describe: () => Promise.reject(), sign: () => Promise.reject() },
    checks: () => Promise.reject(new Error('no socket')),
  }),
  rates: (tools) => createRates(readRateSettings(RATES, 'rates'), tools),
  liquidity: undefined,
  identity: 'off',
  screening: undefined,
};
const app = useApp({ railsFile: { sandbox: PLAN } });

beforeAll(async () => {
  const now = Date.now();
  const told = async (feed: string, price: string) =>
    storePrices(app.database, { mode: 'sandbox', feed }, [{ asset: 'USDT', price }], {
      observedAtMs: now,
      attemptedAtMs: now,
    });
  await told('alpha', '5.40');
  await told('beta', '5.42');
  await storeFailure(app.database, { mode: 'sandbox', feed: 'gamma' }, ['USDT'], {
    failure: 'HTTP 503',
    attemptedAtMs: now,
  });
});

const QUERY = `{
  railHealth { rail checks { part check ok detail } }
  rateFeeds { asset state mid quorum observedAt feeds { feed price state why observedAt } }
}`;

test('by GraphQL', async () => {
  const { json } = await app.graphql(QUERY, {}, { key: app.platformKey });
  const byRail = Object.fromEntries(
    json.data.railHealth.map(({ rail, checks }: { rail: string; checks: unknown[] }) => [rail, checks]),
  );
  expect(byRail).toEqual({
    PIX: [{ part: 'pix', check: 'certificate', ok: false, detail: 'ends in 3 days' }],
    CHAIN: [{ part: 'signer', check: 'answer', ok: false, detail: 'no socket' }],
    IDENTITY: [{ part: 'identity', check: 'off', ok: true, detail: 'off: everybody passes' }],
    SCREENING: [],
    LIQUIDITY: [],
    RATES: [
      {
        part: 'rates',
        check: 'rate of USDT',
        ok: true,
        detail: '5.41 BRL by 2 of 3 feeds, at least 2; gamma is excluded: HTTP 503',
      },
    ],
  });
  const time = expect.stringMatching(/^20.*Z$/);
  expect(json.data.rateFeeds).toEqual([
    {
      ...{ asset: 'USDT', state: 'AGREED', mid: '5.41', quorum: 2, observedAt: time },
      feeds: [
        { feed: 'alpha', price: '5.40', state: 'IN', why: null, observedAt: time },
        { feed: 'beta', price: '5.42', state: 'IN', why: null, observedAt: time },
        { feed: 'gamma', price: null, state: 'NONE', why: 'HTTP 503', observedAt: null },
      ],
    },
  ]);
});

test('C-40: only the platform can read it', async () => {
  for (const query of ['{ railHealth { checks { ok } } }', '{ rateFeeds { asset } }']) {
    const { json } = await app.graphql(query);
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
  }
});

test('on the console, in both languages', async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  const desk = await signInAs(app, platform, { email: 'olga@platform.invalid', role: 'platform_operator' });
  const page = await visit(app, desk, '/console/rails');
  expect(page.text).toContain('ends in 3 days');
  expect(page.text).toContain('HTTP 503');
  expect(page.text).toMatch(/USDT <b class="num">5\.41<\/b>/);
  expect((await visit(app, desk, '/console/rails?lang=pt')).text).toContain('Fontes de cotação');
});

test('by doctor', async () => {
  const home = newHome();
  onTestFinished(home.remove);
  const file = join(home.home, 'rails.json');
  writeFileSync(
    file,
    JSON.stringify({ sandbox: { rates: RATES, identity: 'off' }, live: { screening: 'off' } }),
  );
  const env = { DATABASE_URL: app.url, RAILS_FILE: file };
  const checks = async () => {
    const { stdout } = await command(env, 'doctor', '--json');
    return JSON.parse(stdout).checks.filter(({ check }: { check: string }) =>
      /^(?:sandbox|live) /.test(check),
    );
  };
  expect(await checks()).toEqual([
    {
      check: 'sandbox rates: rate of USDT',
      ok: true,
      detail: expect.stringContaining('5.41 BRL by 2 of 3'),
    },
    { check: 'sandbox identity: off', ok: true, detail: 'off: everybody passes' },
    { check: 'live screening: off', ok: true, detail: 'off: everything is cleared' },
    {
      check: 'live identity: configured',
      ok: false,
      detail: expect.stringContaining('missing, so no onramp and no offramp can be created'),
    },
  ]);
  await app.owner.query(`update rate_feed set price = 5.6 where feed = 'beta'`);
  const [contested] = await checks();
  expect(contested).toMatchObject({
    ok: false,
    detail: expect.stringContaining('no price (contested) by 0 of 3 feeds'),
  });
});

test('a file of rails that is wrong ends the command with its line', async () => {
  const home = newHome();
  onTestFinished(home.remove);
  const file = join(home.home, 'rails.json');
  writeFileSync(file, '{"live": {"pix": {}}}');
  const { code, stderr } = await command({ DATABASE_URL: app.url, RAILS_FILE: file }, 'doctor');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/RAILS_FILE .*live\.pix\.kind: expected/)]);
});
