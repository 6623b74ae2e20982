/**
 * Goal: the certificates of our own authority are taken by TLS, and by it alone. Method: a server and a caller of node:tls
 * with them; the dates and names that Node and OpenSSL's parser read.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { certificatesIn, createAuthority, type Identity, issue } from '../../src/psp/ca.ts';

const folder = mkdtempSync(join(tmpdir(), 'psp-ca-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HOSTS = ['localhost', '127.0.0.1', '::1', 'bank.example'];
const ca = createAuthority('Test CA');
const server = issue(ca, { name: 'Server', hosts: HOSTS });

/** Calls a server that wants a certificate. @returns whether it was authorized, or the error of TLS. */
async function call(of: Identity, by: Identity | undefined, trusted = ca.certificate): Promise<string> {
  const asked = createServer(
    { cert: of.certificate, key: of.key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false },
    (incoming, response) =>
      response.end((incoming.socket as import('node:tls').TLSSocket).authorized ? 'known' : 'unknown'),
  );
  await new Promise<void>((resolve) => asked.listen(0, '127.0.0.1', resolve));
  const { port } = asked.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      request(
        {
          port,
          host: '127.0.0.1',
          ca: trusted,
          agent: false,
          ...(by && { cert: by.certificate, key: by.key }),
        },
        (response) => response.setEncoding('utf8').on('data', resolve),
      )
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        .end();
    });
  } finally {
    asked.close();
  }
}

describe('certificates', () => {
  test('have the names, hosts and uses that they were made for', () => {
    const read = new X509Certificate(server.certificate);
    expect(read.subject).toBe('CN=Server');
    expect(read.issuer).toBe('CN=Test CA');
    for (const host of HOSTS.slice(0, 1)) expect(read.checkHost(host)).toBe(host);
    for (const address of ['127.0.0.1', '::1']) expect(read.checkIP(address)).toBe(address);
    expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(read.checkIssued(new X509Certificate(ca.certificate))).toBe(true);
    expect(read.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
    expect(read.ca).toBe(false);
    expect(new X509Certificate(ca.certificate).ca).toBe(true);
  });

  test('are valid from and until the given days, also after 2050', () => {
    const validFrom = new Date('2026-01-02T03:04:05Z');
    const validUntil = new Date('2061-12-31T23:59:59Z');
    const read = new X509Certificate(issue(ca, { name: 'Old', validFrom, validUntil }).certificate);
    expect([new Date(read.validFrom), new Date(read.validTo)]).toEqual([validFrom, validUntil]);
  });

  test('open a connection on both sides', async () => {
    expect(await call(server, issue(ca, { name: 'Caller' }))).toBe('known');
  });

  test('of another authority are not accepted, nor is a caller without one', async () => {
    const other = createAuthority('Test CA');
    expect(await call(server, undefined)).toBe('unknown');
    expect(await call(server, issue(other, { name: 'Caller' }))).toBe('unknown');
    expect(await call(issue(other, { name: 'Server', hosts: HOSTS }), undefined)).toMatch(/CERT|SIGN/i);
  });

  test('that have expired, or are for other hosts, are not accepted', async () => {
    const ended = { validFrom: new Date('2020-01-01'), validUntil: new Date('2021-01-01') };
    expect(await call(server, issue(ca, { name: 'Caller', ...ended }))).toBe('unknown');
    expect(await call(issue(ca, { name: 'Server', hosts: ['bank.example'] }), undefined)).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
  });
});

test('a folder keeps its certificates; keys are for their owner alone', () => {
  const home = join(folder, 'psp');
  const made = certificatesIn(home);
  expect(certificatesIn(home)).toEqual(made);
  for (const name of ['ca', 'psp', 'gateway'])
    expect(statSync(join(home, `${name}-key.pem`)).mode & 0o777).toBe(0o600);
});
