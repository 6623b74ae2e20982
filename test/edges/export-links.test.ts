/**
 * Goal: a link opens the export that it was made for, in its account, until it ends or its key does, and nothing else; periods move with
 * time. Method: links over HTTP, each changed in one place.
 */
import { describe, expect, it } from 'vitest';
import { exportAddress, signExportLink } from '../../src/base/access/export-link.ts';
import type { Instant } from '../../src/base/time/instant.ts';
import { daysOf } from '../../src/base/time/period.ts';
import { BRASILIA, dayIn } from '../../src/base/time/zone.ts';
import { findValidKeyById } from '../../src/store/account/api-keys.ts';
import { useApp } from '../support/app.ts';
import { revokeKey } from '../support/revoke-key.ts';

const app = useApp();
const NONE = { key: null };
const PATH = '/export/statement?format=csv&currency=USDT_TRX';

async function linkTo(path: string, key?: string): Promise<string> {
  const { status, json, text } = await app.post(path, undefined, key === undefined ? {} : { key });
  expect(status, text).toBe(201);
  return json.url.slice(app.baseUrl.length);
}

describe('a link to an export', () => {
  it('opens the records that its key sees, without a key', async () => {
    const link = await linkTo(PATH);
    expect(link).toMatch(/^\/export\/statement\?format=csv&currency=USDT_TRX&access_token=crex_/);
    const { status, text, headers } = await app.get(link, NONE);
    expect([status, text]).toEqual([200, (await app.get(PATH)).text]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text.split('\r\n').length).toBeGreaterThan(3);
    expect((await app.get(await linkTo('/export/transactions'), NONE)).status).toBe(200);
    const bearer = new URL(link, app.baseUrl).searchParams.get('access_token') as string;
    expect((await app.get(PATH, { key: bearer })).status).toBe(200);
  });

  it.each([
    ['another filter', (link: string) => link.replace('currency=USDT_TRX', 'currency=BRL')],
    ['no filter', (link: string) => link.replace('currency=USDT_TRX&', '')],
    ['one filter more', (link: string) => `${link}&sub_account=available`],
    ['another export', (link: string) => link.replace('/statement', '/transactions')],
    [
      'a later end',
      (link: string) => link.replace(/\.(\d+)\.(?=[\w-]{43}$)/, (_all, end) => `.${Number(end) + 1}.`),
    ],
    ['another account', (link: string) => link.replace(/crex_\d+/, 'crex_1')],
    ['another signature', (link: string) => `${link.slice(0, -2)}AA`],
    ['two tokens', (link: string) => `${link}&access_token=x`],
    [
      'GraphQL',
      (link: string) =>
        link.replace(/^[^?]*\?.*access_token/, '/graphql?query={viewer{__typename}}&access_token'),
    ],
    ['a list of /v2', (link: string) => link.replace(/^[^?]*\?.*access_token/, '/v2/onramps?access_token')],
  ])('opens nothing with %s', async (_what, changed) => {
    const { status, text } = await app.get(changed(await linkTo(PATH)), NONE);
    expect([400, 401, 404], text).toContain(status);
    expect(text).not.toContain('sub_account,currency');
  });

  it('ends at its time, and with its key', async () => {
    const { accountId, apiKey, keyId } = await app.addAccount({ scopes: ['read'] });
    const link = await linkTo(PATH, apiKey);
    expect((await app.get(link, NONE)).status).toBe(200);
    const key = await findValidKeyById(app.database, accountId, keyId);
    const signed = (inSeconds: number) => {
      const expiresAt = Math.floor(app.database.nowMs() / 1_000) + inSeconds;
      const token = signExportLink({ accountId, keyId, expiresAt }, PATH, key?.hash as Uint8Array);
      return `${PATH}&access_token=${token}`;
    };
    expect((await app.get(signed(60), NONE)).status).toBe(200);
    expect((await app.get(signed(-1), NONE)).status).toBe(401);
    await revokeKey(app.database, keyId);
    expect((await app.get(link, NONE)).status).toBe(401);
  });

  it('is created by a key alone, for at most 400 days, and is in the audit log', async () => {
    const link = await linkTo(`${PATH}&expires_in_days=400`);
    expect(link).not.toContain('expires_in_days');
    const token = new URL(link, app.baseUrl).searchParams.get('access_token') as string;
    expect((await app.post(PATH, undefined, { key: token })).status).toBe(401);
    expect((await app.post(`${PATH}&access_token=${token}`, undefined, NONE)).status).toBe(401);
    for (const days of ['0', '401', 'x', '-1', '1.5'])
      expect((await app.post(`${PATH}&expires_in_days=${days}`)).json).toMatchObject({
        status: 400,
        detail: expect.stringContaining('expires_in_days'),
      });
    expect((await app.post(`${PATH}&curency=BRL`)).status).toBe(400);
    const { rows } = await app.owner.query(
      `select after from audit_entry where act = 'export_link.create' and account_id = $1`,
      [String(app.accountId)],
    );
    expect(JSON.stringify(rows)).toContain(PATH);
    expect(JSON.stringify(rows)).not.toContain('crex_');
  });

  it('has the scopes of its key: only one of the operator opens the books', async () => {
    expect((await app.get(await linkTo('/export/books'), NONE)).status).toBe(403);
    const { status, text } = await app.get(await linkTo('/export/books', app.platformKey), NONE);
    expect([status, text.split(',')[0]]).toEqual([200, 'date_from']);
  });
});

describe('a period', () => {
  it('is that of the request, in every export, and can omit days', async () => {
    const now = new Date(app.database.nowMs()).toISOString() as Instant;
    const same = async (path: string, key?: string) => {
      const given = key === undefined ? {} : { key };
      // Books go by days in Brasília: for three hours of a month that begins, their month is another than that of UTC.
      const { from, to } = daysOf('previous_month', dayIn(path.includes('zone=UTC') ? 'UTC' : BRASILIA, now));
      const [moving, fixed] = await Promise.all([
        app.get(`${path}&period=previous_month`, given),
        app.get(`${path}&date_from=${from}&date_to=${to}`, given),
      ]);
      expect([moving.status, moving.text]).toEqual([200, fixed.text]);
    };
    await same('/export/statement?zone=UTC');
    await same('/export/transactions?zone=UTC');
    await same('/export/books?format=csv', app.platformKey);
    const both = await app.get('/export/statement?period=yesterday&date_from=2026-01-01');
    expect([both.status, both.text]).toEqual([400, expect.stringContaining('period')]);
    expect((await app.get('/export/statement?period=today')).status).toBe(400);
  });
});

it('the address of an export is its path and query without the token', () => {
  expect(exportAddress('/a', 'access_token=t')).toBe('/a');
  expect(exportAddress('/a', 'b=1&access_token=t')).toBe('/a?b=1');
  expect(exportAddress('/a', 'access_token=t&b=1')).toBe('/a?b=1');
  expect(exportAddress('/a', 'b=1&access_token=t&c=2')).toBe('/a?b=1&c=2');
});
