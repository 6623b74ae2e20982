/**
 * A certificate authority for the sandbox. It issues certificates for the PSP and for its callers. Its keys protect
 * only a sandbox on this machine. Node can read certificates but not create them, so they are encoded here (RFC 5280).
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../base/process/make-folder.ts';
import { bits, der, integer, objectId, octets, sequence, set, tagged, text, time, yes } from './der.ts';

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** Holder of a certificate. */
export interface Holder {
  /** Common name. */
  readonly name: string;
  /** Host names and addresses that the holder serves; without any, the certificate is only for calls. */
  readonly hosts?: readonly string[];
  /** Validity; default: from an hour ago, for ten years. */
  readonly validFrom?: Date;
  readonly validUntil?: Date;
}

/** Identities in the files `<name>.pem` and `<name>-key.pem` of a folder. */
export interface Certificates {
  /** Authority that signs the other two. */
  readonly ca: Identity;
  /** Identity of the PSP, for its server and its callbacks. */
  readonly psp: Identity;
  /** Identity of the gateway, for its calls and its callback server. */
  readonly gateway: Identity;
}

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 3_652 * 24 * HOUR_MS;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const SERIAL_BYTES = 16;

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const COMMON_NAME = objectId('2.5.4.3');
const SUBJECT_KEY_ID = objectId('2.5.29.14');
const KEY_USAGE = objectId('2.5.29.15');
const ALTERNATIVE_NAMES = objectId('2.5.29.17');
const BASIC_CONSTRAINTS = objectId('2.5.29.19');
const AUTHORITY_KEY_ID = objectId('2.5.29.35');
const EXTENDED_KEY_USAGE = objectId('2.5.29.37');
const SERVER_AUTH = objectId('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTH = objectId('1.3.6.1.5.5.7.3.2');
/** Key usage: signing certificates and revocation lists (bits 5 and 6). */
const MAY_CERTIFY = bits(Uint8Array.of(0x06), 1);
/** Key usage: digital signatures, as in TLS handshakes (bit 0). */
const MAY_SIGN = bits(Uint8Array.of(0x80), 7);

/** Creates an authority: a key and a self-signed certificate. */
export function createAuthority(name: string): Identity {
  return certify({ name }, undefined, [
    extension(BASIC_CONSTRAINTS, sequence(yes()), true),
    extension(KEY_USAGE, MAY_CERTIFY, true),
  ]);
}

/** Creates a key, and a certificate for it signed by the authority. */
export function issue(authority: Identity, holder: Holder): Identity {
  const { hosts = [] } = holder;
  const uses = hosts.length > 0 ? [SERVER_AUTH, CLIENT_AUTH] : [CLIENT_AUTH];
  return certify(holder, authority, [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, MAY_SIGN, true),
    extension(EXTENDED_KEY_USAGE, sequence(...uses)),
    ...(hosts.length > 0 ? [extension(ALTERNATIVE_NAMES, sequence(...hosts.map(hostName)))] : []),
  ]);
}

/** @returns the certificates of a folder; creates missing ones. */
export function certificatesIn(folder: string): Certificates {
  makeFolder(folder, 0o700);
  const ca = storedIdentity(folder, 'ca', () => createAuthority('Crossramp PSP CA (sandbox)'));
  return {
    ca,
    psp: storedIdentity(folder, 'psp', () => issue(ca, { name: 'Crossramp PSP', hosts: LOOPBACK })),
    gateway: storedIdentity(folder, 'gateway', () =>
      issue(ca, { name: 'Crossramp Gateway', hosts: LOOPBACK }),
    ),
  };
}

/** Writes the key first and the certificate last, as a whole, so that an existing certificate always has its key. */
function storedIdentity(folder: string, name: string, make: () => Identity): Identity {
  const [certificateFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  if (existsSync(certificateFile))
    return { certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  const made = make();
  writeFileSync(keyFile, made.key, { mode: 0o600 });
  writeFileSync(certificateFile, made.certificate);
  return made;
}

/** @param authority - undefined for a self-signed certificate. */
function certify(
  { name, validFrom, validUntil }: Holder,
  authority: Identity | undefined,
  extensions: readonly Buffer[],
): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = authority && new X509Certificate(authority.certificate);
  const from = validFrom ?? new Date(Date.now() - HOUR_MS);
  const until = validUntil ?? new Date(Date.now() + TEN_YEARS_MS);
  const ids = [
    extension(SUBJECT_KEY_ID, octets(keyId(publicKey))),
    extension(AUTHORITY_KEY_ID, sequence(der(0x80, keyId(issuer?.publicKey ?? publicKey)))),
  ];
  const facts = sequence(
    tagged(0, integer(Uint8Array.of(2))),
    integer(randomBytes(SERIAL_BYTES).map((byte, at) => (at === 0 ? (byte & 0x7f) | 0x40 : byte))),
    ECDSA_SHA256,
    nameOf(authority ? commonName(issuer as X509Certificate) : name),
    sequence(time(from), time(until)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions, ...ids)),
  );
  const signature = sign('sha256', facts, authority ? createPrivateKey(authority.key) : privateKey);
  return {
    certificate: new X509Certificate(sequence(facts, ECDSA_SHA256, bits(signature))).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extension(id: Buffer, value: Buffer, isCritical = false): Buffer {
  return sequence(id, ...(isCritical ? [yes()] : []), octets(value));
}

function nameOf(name: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, text(name))));
}

/** Reads the common name; Node writes each name of a certificate on its own line, such as `CN=…`. */
function commonName({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}

function hostName(host: string): Buffer {
  if (isIP(host) === 0) return der(0x82, Buffer.from(host));
  return der(0x87, isIP(host) === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6(host));
}

/** Reads an IPv6 address of eight groups of four digits; `::` stands for missing zeros. */
function ipv6(host: string): Buffer {
  const [left = '', right = ''] = host.split('::');
  const groups = (half: string) => (half === '' ? [] : half.split(':'));
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}
