/**
 * Goal: the rail works at every bank of a profile: its tokens, paths, members, answers and payouts. Method: for each profile, the PSP that
 * speaks as that bank, with the settings that it writes as RAILS_FILE, over the wire; the PSP shares no code with the rail.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readRailsFile } from '../../../src/compose/rails-file.ts';
import { PSP_PROFILE_NAMES, type PspProfileName } from '../../../src/psp/profiles.ts';
import { type RunningPsp, startPsp } from '../../../src/psp/psp.ts';
import { writeRailsSettings } from '../../../src/psp/rails-settings.ts';
import { callbackToken, callbackUrl, refusalOf } from '../../../src/rails/api-pix/callers.ts';
import { filledIn } from '../../../src/rails/api-pix/fixed-members.ts';
import {
  type ApiPixPart,
  type ApiPixSettings,
  createApiPix,
  readApiPixSettings,
} from '../../../src/rails/api-pix/index.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import type { RailTools } from '../../../src/resolvers/services/rail-part.ts';
import { type PixRail, RailRefused } from '../../../src/resolvers/services/rails.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { depositFor, inboundOf, type Merchant, SILENT } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';

let psp: RunningPsp;
let part: ApiPixPart;
const app = useApp({
  liveRails: {
    ...LIVE_RAILS,
    pix: new Proxy({} as PixRail, { get: (_target, name) => Reflect.get(part.port, name) }),
  },
});
const inbound = inboundOf(app);
const OTHERS_CPF = '11144477735';

function toolsOf(): RailTools {
  const { clock, receive } = app.services.forMode('live');
  return { mode: 'live', database: app.database, clock, receive, log: pino({ level: 'silent' }) };
}

/** The settings of the rail that the PSP wrote, with the places of their files. */
function pixSettings(home: string): Record<string, unknown> {
  const { pix } = JSON.parse(readFileSync(join(home, 'rails.json'), 'utf8')).sandbox;
  const placed = (json: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(json).map(([name, value]) => {
        if (typeof value === 'object' && !Array.isArray(value)) return [name, placed(value)];
        return [name, name.endsWith('File') ? join(home, value) : value];
      }),
    );
  return placed(pix);
}

async function until(isSo: () => Promise<boolean>, words: string) {
  for (let turn = 0; turn < 1_200; turn++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect(await isSo(), words).toBe(true);
}

async function control(method: string, path: string, body: object) {
  const response = await fetch(psp.controlUrl + path, { method, body: JSON.stringify(body) });
  const json = await response.json();
  expect(response.status, JSON.stringify(json)).toBe(200);
  return json;
}

/** Has the provider asked about every order now, and the statement read. */
async function query() {
  await app.owner.query(
    `update pix_order set ask_at = now() - interval '1 second' where ask_at is not null and mode = 'live'`,
  );
  await app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await part.poll();
}

const asksUntil = (row: ProcessRow, step: string) =>
  until(async () => {
    await query();
    return (await inbound.stepOf(row)) === step;
  }, `it never came to ${step}`);

describe.each(PSP_PROFILE_NAMES)('at the bank of the profile %s', (profile: PspProfileName) => {
  const home = mkdtempSync(join(tmpdir(), 'psp-profile-'));
  let merchant: Merchant;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    psp = await startPsp({ home, port: 0, controlPort: 0, profile });
    const file = await readRailsFile(writeRailsSettings(psp, home, await freePort()));
    await app.owner.query('truncate pix_order, pix_cursor');
    part = file.sandbox?.pix?.(toolsOf()) as ApiPixPart;
    merchant = await app.addAccount({ mode: 'live' });
    stop = part.start?.().stop;
    await until(async () => (await part.checks()).every(({ ok }) => ok), 'a check never passed');
  });
  afterAll(async () => {
    await stop?.();
    await psp.close();
    rmSync(home, { recursive: true });
  });
  afterEach(() => control('PUT', '/faults', { seed: 1, rules: [] }));

  const fault = (on: string, name: string) =>
    control('PUT', '/faults', { seed: 1, rules: [{ on, fault: name, rate: 1, ms: 10 }] });

  async function charged(): Promise<ProcessRow> {
    const row = await inbound.onramp(merchant);
    await inbound.reach(row, 'depositpix/QRCODE');
    return inbound.rowOf(row.end2end);
  }

  async function pay(row: ProcessRow, payerTaxId: string | null = row.clientTaxId): Promise<string> {
    const { endToEndIds } = await control('POST', '/pay', { txid: row.process?.txid, payerTaxId });
    return endToEndIds[0];
  }

  async function paying(): Promise<ProcessRow> {
    const row = await inbound.offrampInstant(merchant);
    await live().receive(depositFor(await inbound.rowOf(row.end2end)));
    await inbound.reach(row, 'pix_out/SENDING');
    return inbound.rowOf(row.end2end);
  }
  const live = () => app.services.forMode('live');

  test.skipIf(profile === 'standard')('the settings of the standard do not work there', async () => {
    const { profile: _profile, headers: _headers, query: _query, ...others } = pixSettings(home);
    const plain = createApiPix(readApiPixSettings(others, 'live.pix'), toolsOf());
    expect((await plain.checks()).filter(({ ok }) => !ok)).not.toEqual([]);
  });

  test('a charge has the bank’s code, and its payment arrives by callback', async () => {
    const row = await charged();
    expect(row.process?.brCode).toContain('psp.localhost/qr/v2/');
    const endToEndId = await pay(row);
    await until(async () => (await inbound.rowOf(row.end2end)).pixE2e === endToEndId, 'never paid');
  });

  test('a payment whose callback is lost is found on the statement', async () => {
    await fault('callback', 'lost');
    const row = await charged();
    const endToEndId = await pay(row);
    await until(async () => {
      await query();
      return (await inbound.rowOf(row.end2end)).pixE2e === endToEndId;
    }, 'never found');
  });

  test('a charge is withdrawn at the bank when its transaction is cancelled', async () => {
    const row = await charged();
    await inbound.act(merchant, `/v2/onramp/${row.end2end}/cancel`);
    const location = /qr\/v2\/[0-9a-f]{32}/.exec(row.process?.brCode ?? '');
    await until(async () => {
      await settle(app.services, SILENT, { only: { accountId: row.accountId, transactionId: row.id } });
      return (await fetch(`${psp.controlUrl}/${location}`)).status === 410;
    }, 'never withdrawn');
  });

  test('a payment made by another person is returned', async () => {
    const row = await charged();
    await pay(row, OTHERS_CPF);
    await query();
    await asksUntil(row, 'refund/DONE');
  });

  test('a charge that the bank refuses is refused, whatever the bank’s wording', async () => {
    const row = await charged();
    await control('POST', '/plans', { act: 'charge', facts: { amount: '100.00' }, reason: 'Não.' });
    const order = { key: 'another', row, txid: randomBytes(16).toString('hex'), merchantName: 'Loja' };
    await expect(part.port.createCharge(order)).rejects.toThrow(RailRefused);
  });

  test.runIf(['standard', 'efi', 'inter'].includes(profile))(
    'a payout is made once although its answer was lost, and one that fails comes to its end',
    async () => {
      await fault('payout', 'timeout');
      const row = await paying();
      await until(async () => {
        await app.owner.query(
          `update job set due_at = now() - interval '1 second', leased_until = null where kind = 'send_funds'`,
        );
        await app.owner.query(`update pix_order set sent_at = sent_at - interval '61 seconds'`);
        await control('PUT', '/faults', { seed: 1, rules: [] });
        await settle(app.services, SILENT, { only: { accountId: row.accountId, transactionId: row.id } });
        await query();
        return (await inbound.stepOf(row)) === 'success/DONE';
      }, 'never paid out');
      const { payouts } = (await (await fetch(`${psp.controlUrl}/books`)).json()) as Books;
      expect(payouts).toHaveLength(1);
      await control('POST', '/plans', { act: 'payout', facts: {}, reason: 'Não.' });
      const failing = await paying();
      await asksUntil(failing, 'pix_out/REJECTED');
    },
  );
});

/** Books of the PSP, as far as they are looked at. */
interface Books {
  readonly payouts: readonly object[];
}

describe('a profile in the settings', () => {
  const home = mkdtempSync(join(tmpdir(), 'psp-profile-'));
  let bank: RunningPsp;
  beforeAll(async () => {
    bank = await startPsp({ home, port: 0, controlPort: 0, profile: 'inter' });
    writeRailsSettings(bank, home, await freePort());
  });
  afterAll(async () => {
    await bank.close();
    rmSync(home, { recursive: true });
  });
  const read = (more: object) => readApiPixSettings({ ...pixSettings(home), ...more }, 'live.pix');
  const checksWith = async (more: object) => {
    const checks = await createApiPix(read(more), toolsOf()).checks();
    return Object.fromEntries(checks.map(({ check, ok, detail }) => [check, { ok, detail }]));
  };

  test('has defaults that the settings may replace', () => {
    const bare = read({
      url: undefined,
      tokenUrl: undefined,
      headers: undefined,
      payouts: { kind: 'inter' },
    });
    expect(bare).toMatchObject({
      url: 'https://cdpj.partners.bancointer.com.br/pix/v2',
      tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
      tokenBy: 'form',
      payouts: { kind: 'inter', url: 'https://cdpj.partners.bancointer.com.br' },
    });
    expect(bare.scopes).toContain('pagamento-pix.write');
    expect(read({ profile: 'itau', headers: { 'X-CorrelationId': 'ours' } }).headers).toEqual({
      'X-CorrelationId': 'ours',
    });
    expect(read({ profile: 'santander', paths: { pix: 'v9/pix' } }).paths).toEqual({
      cob: 'v1/cob',
      cobPatch: 'v2/cob',
      pix: 'v9/pix',
      webhook: 'v1/webhook',
    });
    expect(read({ paths: { cob: 'v3/cob' } }).paths).toMatchObject({ cobPatch: 'v3/cob', pix: 'pix' });
    expect(read({ scopes: [] }).scopes).toEqual([]);
  });

  test.each([
    [{ profile: 'btg' }, /^live\.pix\.profile: expected one of bb, .*BTG has an interface of its own/],
    [{ profile: 'caixa' }, /^live\.pix\.profile: expected "bb" or "bradesco"/],
    [{ profile: 'efi', payouts: { kind: 'efi' } }, /^live\.pix\.payouts\.payingKey: expected a PIX key/],
    [{ payouts: { kind: 'efi', payingKey: 'k' } }, /^live\.pix\.payouts\.url: expected an https URL/],
    [
      { payouts: { kind: 'inter', payingKey: 'k' } },
      /^live\.pix\.payouts\.payingKey: there is no such setting/,
    ],
    [{ payouts: { kind: 'sicoob' } }, /^live\.pix\.payouts\.kind: expected "efi" or "inter"/],
    [{ paths: { cob: '/v3/cob' } }, /^live\.pix\.paths\.cob: expected a path such as v2\/cob/],
    [{ paths: { cobr: 'v3' } }, /^live\.pix\.paths\.cobr: there is no such setting/],
    [{ tokenFormat: 'xml' }, /^live\.pix\.tokenFormat: expected "form" or "json"/],
    [{ tokenQuery: { 'a b': '1' } }, /^live\.pix\.tokenQuery: expected names other than/],
    [{ times: 'us' }, /^live\.pix\.times: expected "ms" or "s"/],
    [{ errors: 'bb' }, /^live\.pix\.errors: expected "standard" or "own"/],
    [
      { headers: { 'x-key': { valueFile: '/nowhere' } } },
      /^live\.pix\.headers\.x-key\.valueFile: cannot read/,
    ],
    [{ query: { key: { value: 'x' } } }, /^live\.pix\.query\.key\.valueFile: expected a text/],
  ])('%j is refused by name', (more, message) => {
    expect(() => read(more)).toThrow(message);
  });

  test('reads a secret value from a file, and completes each call', async () => {
    const valueFile = join(home, 'account');
    writeFileSync(valueFile, '7654321\n');
    const settings = read({
      profile: 'itau',
      headers: { 'x-conta-corrente': { valueFile }, 'x-client': '{clientId}' },
    });
    const [one, other] = [0, 1].map(() => filledIn(settings.headers, 'me'));
    expect(one).toMatchObject({ 'x-conta-corrente': '7654321', 'x-client': 'me' });
    expect(one?.['x-correlationID']).toMatch(/^[0-9a-f-]{36}$/);
    expect(one?.['x-correlationID']).not.toBe(other?.['x-correlationID']);
  });

  test('is checked: its missing members, and those that only the bank knows', async () => {
    const lacking = await checksWith({ headers: undefined, payouts: undefined });
    expect(lacking.profile).toEqual({
      ok: false,
      detail:
        'inter refuses calls without headers.x-conta-corrente; payouts are not configured; ask the bank about the certificate of its callbacks',
    });
    expect(lacking.statement?.ok).toBe(false);
    expect((await checksWith({})).profile?.ok).toBe(true);
    expect((await checksWith({ scopes: ['cob.read'] })).token?.ok).toBe(true);
  });

  test('is checked: the scopes that its token was not granted', async () => {
    const body = JSON.stringify({ access_token: 't', expires_in: 300, scope: 'cob.read pix.read' });
    const scopes = ['cob.read', 'pix.read', 'pix.write'];
    const part = createApiPix(read({ scopes }), toolsOf(), async () => ({ status: 200, body }));
    expect((await part.checks()).find(({ check }) => check === 'token')).toEqual({
      check: 'token',
      ok: false,
      detail: 'the provider issues a token, but not for pix.write',
    });
  });
});

describe('the address of callbacks', () => {
  const settings = (callback: object) =>
    ({ pixKey: 'key', callback: { url: 'https://gateway.invalid/hook', ...callback } }) as ApiPixSettings;
  const secret = 's'.repeat(40);

  test('ends in the form that the bank requires', () => {
    const token = callbackToken(settings({ secret }));
    expect(callbackUrl(settings({ secret: null, suffix: 'added' }))).toBe('https://gateway.invalid/hook');
    expect(callbackUrl(settings({ secret, secretIn: 'path', suffix: 'ignorar' }))).toBe(
      `https://gateway.invalid/hook/${token}?ignorar=`,
    );
    expect(callbackUrl(settings({ secret, secretIn: 'query', suffix: 'ignorar' }))).toBe(
      `https://gateway.invalid/hook?hmac=${token}&ignorar=`,
    );
  });

  test('is identified by the secret in its query, whatever the bank appends', () => {
    const check = { token: 'abc', isTokenInQuery: true, refusal: () => undefined };
    const rest = (path: string) => refusalOf(check, {} as IncomingMessage, path);
    expect(rest('/?hmac=abc&ignorar=/pix')).toEqual({ rest: '', refusal: undefined });
    expect(rest('/pix?hmac=abc')).toEqual({ rest: 'pix', refusal: undefined });
    expect(rest('/abc/pix').refusal).toBe('the path does not have the expected secret');
    expect(rest('/?hmac=abd').refusal).toBe('the path does not have the expected secret');
  });
});
