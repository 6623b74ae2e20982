/** Goal: every rail that there is holds what docs/rails.md says of all rails. Method: the suite that the author of a rail runs. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  IDENTITY_KINDS,
  LIQUIDITY_KINDS,
  NETWORK_KINDS,
  PIX_KINDS,
  RATE_KINDS,
  SCREENING,
  SIGNER_KINDS,
} from '../../src/compose/rail-kinds.ts';
import { createAuthority, issue } from '../../src/psp/ca.ts';
import { SCREENER_KINDS } from '../../src/rails/screening/settings.ts';
import type { RailPart, RailTools } from '../../src/resolvers/services/rail-part.ts';
import { useDatabase } from '../support/database.ts';
import { conforms, type RailUnderTest } from '../support/rail-conformance.ts';

const store = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'rails-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, contents: string): string {
  writeFileSync(join(folder, name), contents);
  return join(folder, name);
}

/** Nobody listens there. */
const AWAY = 'http://127.0.0.1:9';
const SECRET = 'c0nfidential-'.repeat(4);
const authority = createAuthority('Bank');
const ours = issue(authority, { name: 'gateway' });
const secretFile = file('secret', SECRET);
const tls = { certificateFile: file('cert.pem', ours.certificate), keyFile: file('key.pem', ours.key) };
const keyLine = ours.key.split('\n')[1] ?? '';
const XPUBS = {
  ETH: 'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
  TRX: 'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr',
};
const signer = {
  describe: () => Promise.reject(new Error('away')),
  sign: () => Promise.reject(new Error('away')),
};

/** Screeners have one reader. */
const SCREENERS = Object.fromEntries(SCREENER_KINDS.map((kind) => [kind, SCREENING]));

/** The kinds, with settings of each. */
const RAILS: readonly (Omit<RailUnderTest, 'make'> & {
  readonly kinds: object;
  /** Default: the name. */
  readonly kind?: string;
  readonly network?: string;
})[] = [
  {
    name: 'api-pix',
    kinds: PIX_KINDS,
    secrets: () => [SECRET, keyLine],
    settings: () => ({
      ...{ kind: 'api-pix', url: `${AWAY}/v2`, tokenUrl: `${AWAY}/token`, clientId: 'id', ...tls },
      ...{ clientSecretFile: secretFile, pixKey: 'key@example.com', ispb: '12345678' },
      callback: { url: 'https://gateway.invalid/rails/live/pix', secretFile },
      payouts: { kind: 'efi', url: AWAY, payingKey: 'key@example.com' },
      med: {
        ...{ kind: 'http', listUrl: `${AWAY}/cases?from={from}&to={to}`, caseUrl: `${AWAY}/cases/{case}` },
        paths: { cases: '$', case: '$.id', endToEndId: '$.e2e', state: '$.state', openedAt: '$.at' },
        words: { open: ['open'], accepted: ['yes'], rejected: ['no'] },
        headers: { 'x-key': { valueFile: secretFile } },
      },
    }),
    reported: () => ({
      path: `${createHmac('sha256', SECRET).update('callback:key@example.com').digest('hex')}/pix`,
      body: JSON.stringify({
        pix: [
          {
            endToEndId: 'E99999999202611281200000000000001',
            txid: 'a'.repeat(26),
            valor: '100.00',
            chave: 'key@example.com',
            horario: new Date().toISOString(),
          },
        ],
      }),
    }),
  },
  {
    name: 'evm',
    kinds: NETWORK_KINDS,
    network: 'ETH',
    secrets: () => [SECRET],
    settings: () => ({
      ...{
        kind: 'evm',
        providers: [AWAY, { urlFile: file('node', `http://localhost:9/${SECRET}`) }],
        confirmations: 3,
      },
      ...{
        xpub: XPUBS.ETH,
        hotAddress: '0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650',
        sweep: { USDT_ETH: '200' },
      },
    }),
  },
  {
    name: 'tron',
    kinds: NETWORK_KINDS,
    network: 'TRX',
    secrets: () => [SECRET],
    settings: () => ({
      ...{ kind: 'tron', providers: [{ url: AWAY, apiKeyFile: secretFile }], xpub: XPUBS.TRX },
      ...{ hotAddress: 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ', sweep: { USDT_TRX: '200' } },
    }),
  },
  { name: 'process', kinds: SIGNER_KINDS, settings: () => ({ socket: join(folder, 'none.sock') }) },
  {
    name: 'feeds',
    kinds: RATE_KINDS,
    secrets: () => [SECRET],
    settings: () => ({
      kind: 'feeds',
      feeds: [
        {
          name: 'a',
          url: `${AWAY}/${SECRET}`,
          authorizationFile: secretFile,
          prices: [{ asset: 'USDT', path: '$.x' }],
        },
      ],
    }),
  },
  {
    name: 'inventory',
    kinds: LIQUIDITY_KINDS,
    settings: () => ({ kind: 'inventory', positions: { USDT_TRX: { long: '10', short: '0', target: '5' } } }),
  },
  {
    name: 'identity http',
    kind: 'http',
    kinds: IDENTITY_KINDS,
    secrets: () => [SECRET],
    settings: () => ({
      ...{ kind: 'http', url: `${AWAY}/checks`, headers: [{ name: 'x-api-key', valueFile: secretFile }] },
      ...{ body: { id: 'case', 'person.document': 'taxId' }, levels: ['BASIC', 'VERIFIED'] },
      paths: { reference: '$.id', link: '$.link', decision: '$.status', reasons: '$.why', score: '$.score' },
      words: { pending: ['new'], approved: ['ok'], denied: ['no'], retry: ['again'], review: ['manual'] },
      ...{ statusUrl: `${AWAY}/checks/{case}`, linkUrl: `${AWAY}/checks/{case}/link`, timeoutSeconds: 2 },
      callback: { ...signature('x-signature'), case: '$.id' },
    }),
    reported: () => signedReport('', { id: 'crx-unknown', status: 'ok' }),
  },
  {
    name: 'sumsub',
    kinds: IDENTITY_KINDS,
    secrets: () => [SECRET],
    settings: () => ({
      ...{ kind: 'sumsub', url: AWAY, tokenFile: secretFile, appSecretFile: secretFile, timeoutSeconds: 2 },
      ...{ levels: { VERIFIED: 'id-and-liveness' }, callback: { secretFile } },
    }),
    reported: () => {
      const body = JSON.stringify({ externalUserId: 'crx-unknown', reviewResult: { reviewAnswer: 'GREEN' } });
      const digest = createHmac('sha256', SECRET).update(body).digest('hex');
      const headers = { 'x-payload-digest': digest, 'x-payload-digest-alg': 'HMAC_SHA256_HEX' };
      return { path: '', body, headers };
    },
  },
  {
    name: 'screening http',
    kind: 'http',
    kinds: SCREENERS,
    secrets: () => [SECRET],
    settings: () => ({
      ...{ kind: 'http', name: 'bureau', url: `${AWAY}/screen`, screens: ['people'], timeoutSeconds: 2 },
      ...{ headers: { AuthorizationFile: secretFile }, body: { ref: 'reference', document: 'taxId' } },
      ...{ decision: '$.status', reference: '$.id', reasons: '$.why' },
      decisions: { CLEAR: 'cleared', BLOCK: 'frozen', LATER: 'pending' },
      callback: { ...signature('x-signature'), reference: '$.ref' },
    }),
    reported: () => ({ ...signedReport('bureau', { ref: 'a'.repeat(32), status: 'CLEAR' }), isHint: true }),
  },
  {
    name: 'chainalysis-sanctions',
    kinds: SCREENERS,
    secrets: () => [SECRET],
    settings: () => ({ kind: 'chainalysis-sanctions', url: AWAY, keyFile: secretFile, timeoutSeconds: 2 }),
  },
  {
    name: 'lists',
    kinds: SCREENERS,
    settings: () => ({
      ...{ kind: 'lists', folder: join(folder, 'none'), lists: ['ofac', 'own'], maxAgeDays: 3 },
      ...{ review: '0.8', strong: '0.9' },
    }),
  },
];

/** Settings of callbacks that are signed with SECRET over time and body. */
function signature(header: string) {
  return { secretFile, header, signed: 'timestamp.body', timestampHeader: 'x-timestamp' };
}

function signedReport(path: string, content: object) {
  const body = JSON.stringify(content);
  const at = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex');
  return { path, body, headers: { 'x-timestamp': at, 'x-signature': digest } };
}

type Read = (json: unknown, path: string, name: string) => (tools: RailTools) => RailPart<unknown>;

for (const { name, kinds, kind = name, network, ...rail } of RAILS) {
  const load = (kinds as Readonly<Record<string, () => Promise<Read>>>)[kind];
  const read = await load?.();
  conforms(store, {
    name,
    ...rail,
    make: (settings, path, tools) => {
      if (!read) throw new Error(`${name} is a kind`);
      return read(
        settings,
        path,
        network ?? name,
      )({ ...tools, ...(network && { network, signer }) } as RailTools);
    },
  });
}

test('every kind is tested here', () => {
  const money = [PIX_KINDS, NETWORK_KINDS, SIGNER_KINDS, RATE_KINDS, LIQUIDITY_KINDS];
  const kinds = [...money, IDENTITY_KINDS, SCREENERS].flatMap((each) => Object.keys(each));
  expect(RAILS.map(({ name, kind = name }) => kind).toSorted()).toEqual(kinds.toSorted());
});
