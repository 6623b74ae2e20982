/**
 * Goal: calls of the provider carry a token that holds and the right certificate, one token is fetched at a time, and what is no answer
 * is never taken for one. Method: the PSP over mTLS, with the clock of the tokens in hand.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createAuthority, issue } from '../../../src/psp/ca.ts';
import { createCalls } from '../../../src/rails/api-pix/client.ts';
import { watched } from '../../../src/rails/api-pix/connection-status.ts';
import {
  type Call,
  type Caller,
  createCaller,
  PspProblem,
  PspSilent,
  PspUnavailable,
} from '../../../src/rails/api-pix/http.ts';
import type { ApiPixSettings } from '../../../src/rails/api-pix/index.ts';
import { createTokens } from '../../../src/rails/api-pix/token.ts';
import { usePsp } from '../../support/psp.ts';
import { settingsFor } from './harness.ts';

const psp = usePsp();
const TXID = 'a'.repeat(32);

/** The calls of a rail that has just started, those that it made, and a clock of its own. */
function fresh() {
  const settings = settingsFor(psp, 1);
  const made: Call[] = [];
  const go = createCaller(settings);
  const clock = { nowMs: 0 };
  const call: Caller = (each) => {
    made.push(each);
    return go(each);
  };
  const tokens = createTokens(call, settings, () => clock.nowMs);
  const asked = (part: string) => made.filter(({ url }) => url.includes(part)).length;
  return { settings, clock, asked, tokens, api: createCalls(call, tokens, settings) };
}

describe('a token', () => {
  test('is fetched once for parallel calls, and used until a minute before its end', async () => {
    const { api, clock, asked } = fresh();
    await Promise.all(Array.from({ length: 20 }, () => api.getCharge(TXID)));
    expect(asked('/oauth/token')).toBe(1);
    clock.nowMs = (3_600 - 61) * 1_000;
    await api.getCharge(TXID);
    expect(asked('/oauth/token')).toBe(1);
    clock.nowMs += 2_000;
    await api.getCharge(TXID);
    expect(asked('/oauth/token')).toBe(2);
  });

  test('that is refused is replaced once, and no more', async () => {
    const { api, asked } = fresh();
    const one = { seed: 1, rules: [{ on: 'read', fault: 'unauthorized', rate: 1, ms: 0 }] };
    await psp.control('PUT', '/faults', one);
    await expect(api.getCharge(TXID)).rejects.toMatchObject({ status: 401 });
    expect(asked('/oauth/token')).toBe(2);
    expect(asked('/cob/')).toBe(2);
    await psp.control('PUT', '/faults', { seed: 1, rules: [] });
    expect(await api.getCharge(TXID)).toBeUndefined();
  });

  test('is refused with another secret', async () => {
    const settings = { ...settingsFor(psp, 1), clientSecret: 'wrong' };
    const tokens = createTokens(createCaller(settings), settings);
    await expect(tokens.get()).rejects.toMatchObject({
      name: 'PspProblem',
      status: 401,
      type: 'invalid_client',
    });
  });
});

test('P08: banks get the secret in the form, fixed headers and query members as their settings require', async () => {
  const settings: ApiPixSettings = {
    ...settingsFor(psp, 1),
    tokenBy: 'form',
    headers: { 'x-conta-corrente': '1234' },
    query: { 'gw-dev-app-key': 'a b' },
  };
  const made: Call[] = [];
  const go = createCaller(settings);
  const call: Caller = (each) => {
    made.push(each);
    return go(each);
  };
  const tokens = createTokens(call, settings);
  const api = createCalls(call, tokens, settings);
  expect(await api.getCharge(TXID)).toBeUndefined();
  await api.getStatement({ from: '2026-11-01T00:00:00Z', to: '2026-11-01T01:00:00Z', page: 0 });
  const [token, charge, statement] = made;
  expect(token?.headers).not.toHaveProperty('authorization');
  expect(token?.body).toContain(`client_secret=${encodeURIComponent(psp.client.secret)}`);
  expect(charge?.url).toMatch(/\/cob\/a+\?gw-dev-app-key=a\+b$/);
  expect(statement?.url).toMatch(/&gw-dev-app-key=a\+b$/);
  expect(charge?.headers).toMatchObject({ 'x-conta-corrente': '1234' });
  const bare = createTokens(
    async (each) => {
      made.push(each);
      return { status: 200, body: '{"access_token":"t"}' };
    },
    { ...settings, clientSecret: null },
  );
  expect(await bare.get()).toBe('t');
  expect(made.at(-1)?.body).not.toContain('client_secret');
});

test.each([
  ['all of them', 'cob.read pix.read pix.write', []],
  ['fewer', 'cob.read', ['pix.read', 'pix.write']],
  ['fewer, with commas', 'cob.read,pix.write', ['pix.read']],
  ['others as well', 'cob.read pix.read pix.write webhook.read', []],
  ['scopes that it does not name', undefined, []],
])('a token that was granted %s lacks the others, of those that were requested', async (_name, scope, lacking) => {
  const made: Call[] = [];
  const call: Caller = async (each) => {
    made.push(each);
    return { status: 200, body: JSON.stringify({ access_token: 't', expires_in: 300, scope }) };
  };
  const tokens = createTokens(call, {
    ...settingsFor(psp, 1),
    scopes: ['cob.read', 'pix.read', 'pix.write'],
  });
  expect(tokens.lacking()).toEqual([]);
  await tokens.get();
  expect(made[0]?.body).toContain(
    `scope=${encodeURIComponent('cob.read pix.read pix.write').replaceAll('%20', '+')}`,
  );
  expect(tokens.lacking()).toEqual(lacking);
});

test('a callback whose callers are identified by a secret path alone is registered as such', async () => {
  const { api } = fresh();
  const url = 'https://127.0.0.1:9/hook/secret';
  await expect(api.putWebhook(url, false)).rejects.toMatchObject({
    status: 400,
    type: 'WebhookOperacaoInvalida',
  });
  await api.putWebhook(url, true);
  expect(await api.getWebhook()).toBe(url);
});

describe('an answer', () => {
  test('of 503 leaves the outcome of the call unknown', async () => {
    const { api } = fresh();
    await psp.control('PUT', '/faults', {
      seed: 1,
      rules: [{ on: 'read', fault: 'unavailable', rate: 1, ms: 0 }],
    });
    await expect(api.getCharge(TXID)).rejects.toBeInstanceOf(PspUnavailable);
    await psp.control('PUT', '/faults', { seed: 1, rules: [] });
  });

  test('that refuses is named by the last part of its type', async () => {
    const { api } = fresh();
    const charge = { expiresInSeconds: 60, payer: null, amount: '0.00' };
    const problem = await api.putCharge(TXID, charge).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(PspProblem);
    expect(problem).toMatchObject({ status: 400, type: 'CobOperacaoInvalida' });
  });

  test('that is no JSON, too large, too late or missing counts as none', async () => {
    const authority = createAuthority('Bank');
    const server = issue(authority, { name: 'bank', hosts: ['127.0.0.1'] });
    const bank = createServer({ cert: server.certificate, key: server.key }, (request, response) => {
      if (request.url === '/html') response.end('<html>');
      if (request.url === '/moved') response.writeHead(302, { location: '/html' }).end();
      if (request.url === '/large') response.end(Buffer.alloc(9 * 1024 * 1024));
    });
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(bank.address() as AddressInfo).port}`;
    const settings = { ...settingsFor(psp, 1), ca: authority.certificate, timeoutSeconds: 1 };
    const api = createCalls(
      createCaller(settings),
      { get: async () => 't', refused: () => {}, lacking: () => [] },
      settings,
    );
    for (const path of ['/html', '/moved', '/large', '/never'])
      await expect(api.send('GET', url + path), path).rejects.toBeInstanceOf(PspUnavailable);
    const stranger = createCalls(
      createCaller({ ...settings, ca: createAuthority('Another').certificate }),
      { get: async () => 't', refused: () => {}, lacking: () => [] },
      settings,
    );
    await expect(stranger.send('GET', `${url}/html`)).rejects.toThrow(
      'the certificate of the provider is not signed by an authority of caFile (',
    );
    bank.closeAllConnections();
    await new Promise((resolve) => bank.close(resolve));
  });

  test('is not given to a caller without our certificate', async () => {
    const settings = settingsFor(psp, 1);
    const foreign = issue(createAuthority('Another'), { name: 'gateway' });
    const call = createCaller({ ...settings, ...foreign });
    const refused = createTokens(call, settings).get();
    await expect(refused).rejects.toBeInstanceOf(PspUnavailable);
    await expect(refused).rejects.toThrow('the provider does not accept the certificate of certificateFile');
  });
});

test('an outage of the provider is logged only at its start and its end', async () => {
  const told: string[] = [];
  const note = (_facts: object, words: string) => void told.push(words);
  let isAway = true;
  const answers: Caller = async () => {
    if (isAway) throw new PspSilent('no answer');
    return { status: 200, body: '{}' };
  };
  const { call, complain } = watched(answers, { info: note, warn: note, error: note } as never);
  const turn = () =>
    call({ method: 'GET', url: 'https://bank.invalid' }).catch((err) => complain({ err }, 'turn'));
  for (let count = 0; count < 6; count++) await turn();
  expect(told).toEqual(['turn', 'turn', 'the PIX provider does not answer']);
  complain({ err: new PspUnavailable('the answer cannot be read') }, 'unread');
  isAway = false;
  await turn();
  await turn();
  expect(told.slice(3)).toEqual(['unread', 'the PIX provider answers again']);
  isAway = true;
  await turn();
  expect(told.at(-1)).toBe('turn');
});
