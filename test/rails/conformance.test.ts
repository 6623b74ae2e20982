/** Goal: every rail that there is holds what docs/rails.md says of all rails. Method: the suite that the author of a rail runs. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  LIQUIDITY_KINDS,
  NETWORK_KINDS,
  PIX_KINDS,
  RATE_KINDS,
  SIGNER_KINDS,
} from '../../src/compose/rail-kinds.ts';
import { createAuthority, issue } from '../../src/psp/ca.ts';
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

/** The kinds, with settings of each. */
const RAILS: readonly (Omit<RailUnderTest, 'make'> & {
  readonly kinds: object;
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
];

type Read = (json: unknown, path: string, name: string) => (tools: RailTools) => RailPart<unknown>;

for (const { name, kinds, network, ...rail } of RAILS) {
  const load = (kinds as Readonly<Record<string, () => Promise<Read>>>)[name];
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
  const kinds = [PIX_KINDS, NETWORK_KINDS, SIGNER_KINDS, RATE_KINDS, LIQUIDITY_KINDS].flatMap((each) =>
    Object.keys(each),
  );
  expect(RAILS.map(({ name }) => name).toSorted()).toEqual(kinds.toSorted());
});
