/**
 * Goal: an installation with some live rails serves what they can carry, and refuses the rest by name (C-40); what calls a
 * rail from outside reaches it. Method: a gateway with a PIX rail and one network, doubles of both.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { readBody } from '../../src/base/input/read-body.ts';
import type { RailPlan } from '../../src/compose/rails-file.ts';
import { useApp } from '../support/app.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { BODIES } from '../support/rest-routes.ts';

const NO_CHECKS = async () => [];
const PLAN: RailPlan = {
  pix: () => ({
    port: LIVE_RAILS.pix,
    checks: async () => [{ check: 'token', ok: true, detail: 'until 12:00' }],
    handle: async (request, response, path) => {
      const body = await readBody(request);
      response.end(`${path} ${body.length}`);
    },
  }),
  signer: () => ({
    port: { describe: () => Promise.reject(new Error()), sign: () => Promise.reject(new Error()) },
    checks: NO_CHECKS,
  }),
  networks: new Map([['TRX', () => ({ port: LIVE_RAILS.chain, checks: NO_CHECKS })]]),
  rates: () => ({ port: LIVE_RAILS.rates, checks: NO_CHECKS }),
  liquidity: () => ({ port: LIVE_RAILS.liquidity, checks: NO_CHECKS }),
  identity: 'off',
  screening: 'off',
};
const app = useApp({ railsFile: { live: PLAN } });
const { screening: _screening, rates: _rates, ...rest } = PLAN;
const lesser = useApp({ railsFile: { live: { ...rest, screening: undefined, rates: undefined } } });
let key: string;

beforeAll(async () => {
  key = (await app.addAccount({ mode: 'live' })).apiKey;
});

const onramp = (currency: string) => ({ ...BODIES['/v2/onramp'], currency_exit_received_code: currency });

describe('C-40: configured rails are served', () => {
  test('an onramp over PIX to a network that is there', async () => {
    const { status, json } = await app.post('/v2/onramp', onramp('USDT_TRX'), { key });
    expect([status, json.code]).toEqual([201, undefined]);
    expect(JSON.stringify(json)).toContain('live-');
  });

  test('the sandbox of the same gateway plays its rails in the process', async () => {
    expect(app.services.forMode('sandbox').railParts).toEqual([]);
    expect((await app.post('/v2/onramp', onramp('USDT_ETH'))).status).toBe(201);
  });
});

describe('C-40: missing rails are refused by name, and nothing is stored', () => {
  test('an order over a missing network, a price of it, and a withdrawal', async () => {
    for (const currency of ['USDT_ETH', 'BTC_BTC']) {
      const { status, json } = await app.post('/v2/onramp', onramp(currency), { key });
      expect([status, json.code, json.detail]).toEqual([
        422,
        'RAILS_MISSING',
        expect.stringContaining(`no live rail for ${currency.split('_')[1]}`),
      ]);
    }
    const { rows } = await app.owner.query(
      `select from transaction where source_currency = 'BRL' and target_currency = 'BTC_BTC'`,
    );
    expect(rows).toEqual([]);
    const quote = await app.graphql(
      'mutation { createQuote(input: { template: onramp, currency: "USDT_ETH", amount: { brl: "100" } }) { quote { id: quoteId } errors { code message path } } }',
      {},
      { key },
    );
    expect(JSON.stringify(quote.json)).toContain('no live rail for ETH');
  });

  test('every ramp, where rates and screening are not there', async () => {
    const other = await lesser.addAccount({ mode: 'live' });
    const { json } = await lesser.post('/v2/onramp', onramp('USDT_TRX'), { key: other.apiKey });
    expect([json.code, json.detail]).toEqual(['RAILS_MISSING', expect.stringContaining('screening, rates')]);
  });
});

describe('calls from outside', () => {
  const call = async (path: string, body: string) => {
    const response = await fetch(`${app.baseUrl}${path}`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };

  test('reach their rail with the rest of the path', async () => {
    const { status, text } = await call('/rails/live/pix/callback/pix?hmac=1', '{}');
    expect([status, text]).toEqual([200, 'callback/pix?hmac=1 2']);
  });

  test.each([
    '/rails/sandbox/pix',
    '/rails/live/rates',
    '/rails/live/none',
    '/rails/other/pix',
    '/rails/live',
  ])('%s is no rail that takes calls', async (path) => {
    expect((await call(path, '{}')).status).toBe(404);
  });

  test('C-51: a body that is too large is refused', async () => {
    expect((await call('/rails/live/pix', 'x'.repeat(1_048_577))).status).toBe(413);
  });
});
