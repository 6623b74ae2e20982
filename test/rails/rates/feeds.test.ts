/**
 * Goal: rates come from feeds that lie, hang, fall silent or talk nonsense, and nothing is quoted that is stale or contested (C-21).
 * Method: feeds are HTTP servers of this test, asked by the real poller, kept in a real database; orders by the real API.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createRates, readRateSettings } from '../../../src/rails/rates/index.ts';
import { currentRate } from '../../../src/resolvers/pricing/price.ts';
import { useApp } from '../../support/app.ts';
import { newHome } from '../../support/home.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Feeds by the first part of their path: what each answers can be changed. */
const answers = new Map<string, Answer>();
const server = createServer((request, response) => {
  const name = request.url?.split('/')[1] ?? '';
  answers.get(name)?.(request, response);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const says = (text: string) => (answer: Parameters<Answer>[1]) => void answer.end(text);
const text =
  (body: string): Answer =>
  (_request, response) =>
    says(body)(response);
const urlOf = (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
const feed = (name: string, more: object = {}) => ({
  ...{ name, url: urlOf(name), prices: [{ asset: 'USDT', path: '$.last' }], ...more },
});

const app = useApp({ liveRails: LIVE_RAILS });
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await app.owner.query('delete from rate_feed');
});

/** Rates of these feeds, polled from now on. */
function polled(feeds: readonly object[], more: object = {}) {
  const json = { everySeconds: 1, timeoutSeconds: 20, feeds, ...more };
  const part = createRates(readRateSettings(json, 'rates'), {
    ...{ mode: 'live', database: app.database, clock: SYSTEM_CLOCK, log: pino({ level: 'silent' }) },
    receive: () => Promise.reject(new Error('rates report no event')),
  });
  const running = part.start?.();
  if (running) stops.push(running.stop);
  return part;
}

/** What is reported of an asset once no feed is unheard of. */
async function heard(part: ReturnType<typeof polled>, asset = 'USDT') {
  return vi.waitFor(
    async () => {
      const report = (await part.port.report?.())?.find((each) => each.asset === asset);
      expect(report?.feeds.map(({ why }) => why)).not.toContain('nothing was heard of it yet');
      return { ...report, states: report?.feeds.map(({ state }) => state).join(' ') };
    },
    { timeout: 20_000, interval: 20 },
  );
}

test('numbers preserve every digit, as numbers, as texts and inverted', async () => {
  answers.set('number', text('{"last": 5.123456789012}'));
  answers.set('text', text('{"result": {"USDT-BRL": ["5.123456789010", 0]}}'));
  answers.set('inverse', text('{"last": 0.1951807230}'));
  const part = polled([
    feed('number'),
    feed('text', { prices: [{ asset: 'USDT', path: "$.result['USDT-BRL'][0]" }] }),
    feed('inverse', { prices: [{ asset: 'USDT', path: '$.last', inverse: true }] }),
  ]);
  const { mid, feeds } = await heard(part);
  expect(feeds?.map(({ price }) => price)).toEqual([
    '5.123456789012',
    '5.12345678901',
    '5.1234567872770919083028501744',
  ]);
  expect(mid).toBe('5.12345678901');
});

test('feeds that deviate, hang, fail, answer nonsense, redirect or are old are excluded, each with its reason', async () => {
  answers.set('good', text('{"last": 5.00}'));
  answers.set('other', text('{"last": 5.01}'));
  answers.set('third', text('{"last": 5.02}'));
  answers.set('lies', text('{"last": 5.12}'));
  answers.set('hangs', () => {});
  answers.set('drips', (_request, response) => void response.write('{'));
  answers.set('fails', (_request, response) => void response.writeHead(503).end());
  answers.set('nonsense', text('<html>'));
  answers.set('negative', text('{"last": -5}'));
  answers.set('huge', (_request, response) => void response.end('['.repeat(2_000_000)));
  answers.set('leads', (_request, response) => void response.writeHead(302, { location: '/good' }).end());
  answers.set('old', text(`{"last": 5.00, "at": ${Math.floor(Date.now() / 1_000) - 40}}`));
  const names = [
    'good',
    'other',
    'third',
    'lies',
    'hangs',
    'drips',
    'fails',
    'nonsense',
    'negative',
    'huge',
    'leads',
  ];
  const part = polled([...names.map((name) => feed(name)), feed('old', { at: '$.at' })], {
    ...{ quorum: 3, timeoutSeconds: 1 },
  });
  const found = async () => {
    const { state, mid, feeds } = await heard(part);
    return { state, mid, why: Object.fromEntries(feeds?.map(({ feed: name, why }) => [name, why]) ?? []) };
  };
  // A machine that does much else may be late for a second: whoever answers is asked again.
  await expect.poll(found).toEqual({
    ...{ state: 'AGREED', mid: '5.01' },
    why: {
      good: '',
      other: '',
      third: '',
      lies: expect.stringMatching(/^2\.09 % off 5\.015$/),
      hangs: 'no answer in 1 s',
      drips: 'no answer in 1 s',
      fails: 'HTTP 503',
      nonsense: 'not JSON',
      negative: 'no price of USDT',
      huge: 'more than 1 MiB',
      leads: 'not reachable',
      old: 'older than 30 s',
    },
  });
  const [check] = await part.checks();
  expect(check).toMatchObject({ check: 'rate of USDT', ok: true });
  expect(check?.detail).toContain('fails is excluded: HTTP 503');
});

test('a price whose time is in another unit, in the future or without a zone is refused (R01, C-36)', async () => {
  const nowMs = Date.now();
  const iso = new Date(nowMs).toISOString();
  const times = {
    microseconds: (nowMs - 10_200_000) * 1_000,
    nanoseconds: `"${nowMs - 10_200_000}000000"`,
    ahead: nowMs + 60_000,
    unzoned: `"${iso.slice(0, -1)}"`,
    words: `"${new Date(nowMs).toUTCString()}"`,
    lower: `"${iso.toLowerCase()}"`,
    plain: `"${iso.replace('Z', '+0000')}"`,
    seconds: Math.floor(nowMs / 1_000),
  };
  for (const [name, at] of Object.entries(times)) answers.set(name, text(`{"last": 5.00, "at": ${at}}`));
  const part = polled(
    Object.keys(times).map((name) => feed(name, { at: '$.at' })),
    { quorum: 1 },
  );
  const { feeds } = await heard(part);
  const why = Object.fromEntries(feeds?.map((each) => [each.feed, each.why]) ?? []);
  const [future, none] = [
    'its prices have a time in the future',
    'it does not report the time of its prices',
  ];
  expect(why).toEqual({
    ...{ microseconds: future, nanoseconds: future, ahead: future, unzoned: none, words: none },
    ...{ lower: '', plain: '', seconds: '' },
  });
});

test('a failing feed is read less and less often; the last price counts until it is stale', async () => {
  let asked = 0;
  answers.set('away', (_request, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? 200 : 500).end('{"last": 5}');
  });
  const part = polled([feed('away')]);
  const failures = async () =>
    (await app.owner.query<{ failures: number }>('select failures from rate_feed')).rows[0]?.failures;
  await vi.waitFor(async () => expect(await failures()).toBe(2), { timeout: 20_000, interval: 50 });
  expect(asked).toBe(3);
  expect((await heard(part)).mid).toBe('5');
});

test('processes that share a database read a feed once for all of them', async () => {
  let asked = 0;
  answers.set('shared', (_request, response) => {
    asked += 1;
    response.end('{"last": 5}');
  });
  const first = polled([feed('shared')], { everySeconds: 30 });
  await heard(first);
  const second = polled([feed('shared')], { everySeconds: 30 });
  expect((await heard(second)).mid).toBe('5');
  expect(asked).toBe(1);
});

test('a secret of a feed is read from its file, and sent', async () => {
  const home = newHome();
  onTestFinished(home.remove);
  const file = join(home.home, 'feed.key');
  writeFileSync(file, 'Bearer s3cret\n');
  answers.set('closed', (request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer s3cret' ? 200 : 401).end('{"last": 5}');
  });
  expect((await heard(polled([feed('closed', { authorizationFile: file })]))).mid).toBe('5');
});

test('C-21: nothing is quoted on a contested rate, not even right after an agreed one', async () => {
  answers.set('one', text('{"last": 5.00}'));
  answers.set('two', text('{"last": 5.01}'));
  const part = polled([feed('one'), feed('two')]);
  await heard(part);
  const live = app.services.forMode('live');
  const quote = async () =>
    currentRate({ ...live, rails: { ...live.rails, rates: part.port } }, 'USDT', Date.now());
  expect(await quote()).toBe('5.005');
  answers.set('two', text('{"last": 5.11}'));
  await vi.waitFor(async () => expect((await heard(part)).state).toBe('CONTESTED'), { timeout: 20_000 });
  const refused = await quote().catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'QUOTE_UNAVAILABLE',
    message: expect.stringContaining('contradict each other'),
  });
});

test('agreed prices are stored as the rates of the books, also of a coin that is never quoted', async () => {
  answers.set('coins', text('{"pol": "1.5", "bnb": "5000"}'));
  polled([
    feed('coins', {
      prices: [
        { asset: 'POL', path: '$.pol' },
        { asset: 'BNB', path: '$.bnb' },
      ],
    }),
  ]);
  await vi.waitFor(
    async () => {
      const { rows } = await app.owner.query(
        `select asset, trim_scale(mid)::text as mid from rate where mode = 'live' and asset in ('POL', 'BNB') order by asset`,
      );
      expect(rows).toEqual([
        { asset: 'BNB', mid: '5000' },
        { asset: 'POL', mid: '1.5' },
      ]);
    },
    { timeout: 15_000, interval: 20 },
  );
});
