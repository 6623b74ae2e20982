/**
 * Goal: a slip in the settings is found at the start and named; certificates that end, and keys of others, are seen before anything
 * stands still. Method: settings as they stand in RAILS_FILE, with files; certificates of every kind.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createAuthority, issue } from '../../../src/psp/ca.ts';
import { createApiPix, readApiPixSettings } from '../../../src/rails/api-pix/index.ts';
import { useStand } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'api-pix-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, contents: string): string {
  writeFileSync(join(folder, name), contents);
  return join(folder, name);
}

const authority = createAuthority('Bank');
const ours = issue(authority, { name: 'gateway' });
const [certificateFile, keyFile] = [file('cert.pem', ours.certificate), file('key.pem', ours.key)];
const clientCaFile = file('ca.pem', authority.certificate);
const othersKeyFile = file('others-key.pem', issue(authority, { name: 'another' }).key);
const secretFile = file('secret', `${'s'.repeat(40)}\n`);
const junkFile = file('junk', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
const CALLBACK = { url: 'https://gateway.invalid/hook/' };
const GIVEN = {
  kind: 'api-pix',
  url: 'https://bank.invalid/v2/',
  tokenUrl: 'https://bank.invalid/oauth/token',
  clientId: 'id',
  clientSecretFile: secretFile,
  certificateFile,
  keyFile,
  pixKey: 'key@example.com',
  ispb: '12345678',
};
const read = (more: object) => readApiPixSettings({ ...GIVEN, ...more }, 'live.pix');

describe('settings', () => {
  test('are read with defaults for missing members', () => {
    const settings = read({ callback: { ...CALLBACK, secretFile } });
    expect(settings).toMatchObject({
      url: 'https://bank.invalid/v2',
      clientSecret: 's'.repeat(40),
      ca: null,
      payouts: null,
      unknownPayer: 'accept',
      timeoutSeconds: 15,
      pollSeconds: 60,
      callback: { url: 'https://gateway.invalid/hook', listen: null, secret: 's'.repeat(40) },
    });
    expect(settings.callback?.confirm).toBe(true);
    expect(settings.tokenBy).toBe('basic');
    expect(read({ clientSecretFile: undefined })).toMatchObject({ clientSecret: null, tokenBy: 'form' });
    const headers = { 'x-conta-corrente': '1234' };
    expect(read({ headers, query: { 'gw-dev-app-key': 'k' } })).toMatchObject({ headers });
    expect(settings.scopes).toContain('cob.write');
    expect(settings.scopes).not.toContain('pix.send');
    const payouts = { kind: 'efi', url: 'https://bank.invalid', payingKey: 'key@example.com' };
    expect(read({ payouts }).scopes).toContain('pix.send');
    const listen = { ...CALLBACK, listen: '[::1]:8443', certificateFile, keyFile, clientCaFile };
    expect(read({ callback: listen }).callback?.listen).toMatchObject({ host: '::1', port: 8443 });
  });

  test.each([
    [{ clientSecretFile: undefined, tokenBy: 'basic' }, /^live\.pix: tokenBy "basic" needs clientSecretFile/],
    [{ headers: { authorization: 'x' } }, /^live\.pix\.headers: expected names other than/],
    [{ headers: { 'x-a': 'a\r\nb: c' } }, /^live\.pix\.headers\.x-a: expected a text of printable ASCII/],
    [{ query: { 'a b': '1' } }, /^live\.pix\.query: expected names other than/],
    [{ callback: { ...CALLBACK, secretFile, confirm: 'no' } }, /^live\.pix\.callback\.confirm: expected/],
    [{ url: 'http://bank.invalid' }, /^live\.pix\.url: expected an https URL/],
    [{ ispb: '1234' }, /^live\.pix\.ispb: expected an ISPB/],
    [{ certificateFile: '/nowhere' }, /^live\.pix\.certificateFile: cannot read/],
    [{ pixkey: 'x' }, /^live\.pix\.pixkey: there is no such setting/],
    [{ unknownPayer: 'ask' }, /^live\.pix\.unknownPayer: expected "accept" or "hold"/],
    [{ certificateFile: secretFile }, /^live\.pix\.certificateFile: expected a file with a certificate, PEM/],
    [{ keyFile: secretFile }, /^live\.pix\.keyFile: expected a file with the private key of/],
    [{ keyFile: othersKeyFile }, /^live\.pix\.keyFile: expected a file with the private key of/],
    [
      {
        callback: { ...CALLBACK, listen: '0.0.0.0:8443', certificateFile: secretFile, keyFile, clientCaFile },
      },
      /^live\.pix\.callback\.certificateFile: expected a file with a certificate, PEM/,
    ],
    [{ caFile: secretFile }, /^live\.pix\.caFile: expected a file with one certificate at least, PEM/],
    [
      { callback: { ...CALLBACK, listen: '0.0.0.0:8443', certificateFile, keyFile, clientCaFile: junkFile } },
      /^live\.pix\.callback\.clientCaFile: expected a file with one certificate at least, PEM/,
    ],
    [{ callback: CALLBACK }, /^live\.pix\.callback: expected listen, proxyHeader or secretFile/],
    [
      { callback: { ...CALLBACK, listen: '0.0.0.0:8443', certificateFile, keyFile } },
      /^live\.pix\.callback: listen needs/,
    ],
    [
      { callback: { ...CALLBACK, proxyHeader: 'x-cert', clientCaFile } },
      /^live\.pix\.callback: proxyHeader needs/,
    ],
    [
      { callback: { ...CALLBACK, secretFile: file('short', 'abc') } },
      /^live\.pix\.callback: secretFile: expected at least 32/,
    ],
    [
      { callback: { ...CALLBACK, secretFile, proxies: ['x'] } },
      /^live\.pix\.callback\.proxies: expected networks/,
    ],
    [{ payouts: { kind: 'other' } }, /^live\.pix\.payouts\.kind: expected "efi"/],
  ])('%j is refused by name', (more, message) => {
    expect(() => read(more)).toThrow(message);
  });
});

/** Names of the members that are known, as a message about one that is not lists them. */
function knownIn(more: object): readonly string[] {
  try {
    read(more);
  } catch (error) {
    return /known here: (.+)$/.exec((error as Error).message)?.[1]?.split(', ') ?? [];
  }
  throw new Error('it was accepted');
}

test('every member is in the documentation', () => {
  const callback = {
    ...CALLBACK,
    listen: '[::1]:1',
    certificateFile,
    keyFile,
    clientCaFile,
    proxyHeader: 'x',
    proxies: ['::1'],
    secretFile,
  };
  const payouts = {
    kind: 'efi',
    url: 'https://bank.invalid',
    payingKey: 'k',
    lookUpUrl: 'https://bank.invalid',
  };
  const more = { caFile: clientCaFile, merchantCity: 'X', infractionsUrl: 'https://bank.invalid' };
  const known = [
    ...knownIn({ ...more, other: 1 }),
    ...knownIn({ callback: { ...callback, other: 1 } }),
    ...knownIn({ payouts: { ...payouts, other: 1 } }),
  ];
  expect(known.length).toBeGreaterThan(30);
  const text = readFileSync(new URL('../../../docs/rails.md', import.meta.url), 'utf8');
  expect(known.filter((name) => !['kind', 'other'].includes(name) && !text.includes(`\`${name}\``))).toEqual(
    [],
  );
});

describe('checks', () => {
  const stand = useStand({}, { works: false });
  const checksWith = async (more: object) => {
    const part = createApiPix({ ...stand.settings, ...more }, stand.tools);
    return Object.fromEntries((await part.checks()).map(({ check, ok, detail }) => [check, { ok, detail }]));
  };

  test('report everything that is correct', async () => {
    expect(Object.values(await checksWith({})).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('detect a certificate that expires soon, an expired one, and a wrong key', async () => {
    const { ca, gateway } = stand.psp.certificates;
    const inTenDays = issue(ca, {
      name: 'gateway',
      validUntil: new Date(Date.now() + 10 * 86_400_000 + 60_000),
    });
    expect((await checksWith(inTenDays)).certificate).toMatchObject({
      ok: false,
      detail: expect.stringContaining('in 10 days'),
    });
    const ended = issue(ca, { name: 'gateway', validUntil: new Date(Date.now() - 86_400_000) });
    expect((await checksWith(ended)).certificate).toMatchObject({
      ok: false,
      detail: expect.stringContaining('ended on'),
    });
    const mixed = { certificate: gateway.certificate, key: inTenDays.key };
    expect((await checksWith(mixed))['certificate key']).toEqual({
      ok: false,
      detail: 'the key belongs to another certificate',
    });
    expect((await checksWith({ certificate: 'x' })).certificate?.ok).toBe(false);
  });

  test('detect a missing token, another registered URL, and a statement that is not read', async () => {
    const wrong = await checksWith({ clientSecret: 'wrong' });
    expect(wrong.token).toMatchObject({ ok: false, detail: expect.stringContaining('invalid_client') });
    const { callback } = stand.settings;
    const other = await checksWith({ callback: { ...callback, url: 'https://127.0.0.1:9/other' } });
    expect(other.callback).toEqual({ ok: false, detail: 'another address is registered at the provider' });
    await stand.app.owner.query(`update pix_cursor set read_at = read_at - interval '1 hour'`);
    expect((await checksWith({})).statement?.ok).toBe(false);
  });
});
