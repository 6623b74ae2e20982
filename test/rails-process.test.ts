/**
 * Goal: configuration alone gives a gateway its rails: the process asks them, prices by them, says how they are, and stops with them.
 * Method: the gateway as a process with a RAILS_FILE; feeds of rates are servers of this test.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuthority, issue } from '../src/psp/ca.ts';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { crossramp, failToStart, start } from './support/process.ts';

const store = useDatabase();
const { home, remove } = newHome();
const file = join(home, 'rails.json');
let price = '7.77';
const feed = createServer((_request, response) => void response.end(`{"last": ${price}}`));
beforeAll(() => new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  feed.closeAllConnections();
  feed.close();
  remove();
});

const write = (rails: object) => writeFileSync(file, JSON.stringify(rails));

test('a process prices by its feeds, and shows its rails', async () => {
  const url = `http://127.0.0.1:${(feed.address() as AddressInfo).port}/ticker`;
  const prices = [{ asset: 'USDT', path: '$.last' }];
  const rates = { everySeconds: 1, feeds: ['alpha', 'beta'].map((name) => ({ name, url, prices })) };
  const positions = { USDT_TRX: { long: '1000', short: '1000' } };
  write({ sandbox: { rates, liquidity: { kind: 'inventory', positions } }, live: { identity: 'off' } });
  const env = { CROSSRAMP_HOME: home, DATABASE_URL: store.url, RAILS_FILE: file };
  const gateway = await start(env, '--sandbox');
  try {
    const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    const quote = async () => {
      const response = await fetch(`${gateway.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query:
            '{ quote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "100" } }) { refQuote } }',
        }),
      });
      const { data, errors } = (await response.json()) as {
        data?: { quote: { refQuote: string } };
        errors?: { message: string }[];
      };
      return data?.quote?.refQuote ?? errors?.[0]?.message;
    };
    const quoted = (expected: string) =>
      vi.waitFor(async () => expect(await quote()).toBe(expected), { timeout: 15_000, interval: 100 });
    await quoted('7.77');
    price = '7.80';
    await quoted('7.8');
    price = '"none"';
    const { stdout } = await crossramp(env, 'doctor', '--json');
    const checks: { check: string; ok: boolean }[] = JSON.parse(stdout).checks;
    expect(
      checks.filter(({ check }) => /^(sandbox|live) /.test(check)).map(({ check, ok }) => [check, ok]),
    ).toEqual([
      ['sandbox rates: rate of USDT', true],
      ['sandbox liquidity: position in USDT_TRX', true],
      ['live identity: off', true],
      ['live screening: configured', false],
    ]);
  } finally {
    expect((await gateway.end('SIGTERM')).code).toBe(0);
  }
}, 120_000);

test('an invalid file ends the start with one line, before anything is opened', async () => {
  write({ live: { rates: { feeds: [{ name: 'alpha' }] } } });
  const { code, stderr } = await failToStart({
    PORT: '0',
    CROSSRAMP_HOME: home,
    DATABASE_URL: store.url,
    RAILS_FILE: file,
  });
  expect([code, stderr]).toEqual([
    1,
    `crossramp: RAILS_FILE ${file}: live.rates.feeds[0].url: expected an https URL (http only to this machine) without user name and password, got nothing\n`,
  ]);
}, 60_000);

test('callbacks at an address that the machine lacks end the start, by the name of the setting', async () => {
  const authority = createAuthority('Bank');
  const { certificate, key } = issue(authority, { name: 'gateway' });
  const files = { 'cert.pem': certificate, 'key.pem': key, 'ca.pem': authority.certificate, secret: 'x' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const identity = { certificateFile: 'cert.pem', keyFile: 'key.pem' };
  const callback = {
    url: 'https://gateway.invalid',
    listen: '192.0.2.1:4102',
    clientCaFile: 'ca.pem',
    ...identity,
  };
  const places = { url: 'https://bank.invalid/v2', tokenUrl: 'https://bank.invalid/token' };
  const client = { clientId: 'x', clientSecretFile: 'secret', pixKey: 'key@example.com', ispb: '12345678' };
  write({ live: { pix: { kind: 'api-pix', ...places, ...client, ...identity, callback } } });
  const { code, stderr } = await failToStart({
    PORT: '0',
    CROSSRAMP_HOME: home,
    DATABASE_URL: store.url,
    RAILS_FILE: file,
    LOG_LEVEL: 'silent',
  });
  expect([code, stderr]).toEqual([
    1,
    'crossramp: live.pix.callback.listen: expected an address of this machine, got 192.0.2.1:4102\n',
  ]);
}, 60_000);
