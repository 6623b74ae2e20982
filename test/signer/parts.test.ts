/**
 * Goal: the key file opens by its passphrase alone, seeds are those of other wallets, the policy says what is wrong in it, and a
 * proof is what a passkey or a key signed. Method: files in a folder of the test, published vectors, a passkey in software.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { destinationStatement, expiryText } from '../../src/chains/whitelist-proof.ts';
import { readKeyFile, writeKeyFile } from '../../src/signer/key-file.ts';
import { NO_PASSKEYS } from '../../src/signer/passkeys.ts';
import { DEFAULT_POLICY, readPolicy, usd } from '../../src/signer/policy.ts';
import { checkProof } from '../../src/signer/proof.ts';
import { openRefusalLog } from '../../src/signer/refusal-log.ts';
import { openWallet } from '../../src/signer/wallet.ts';
import { newWords, seedOf } from '../../src/signer/words.ts';
import { STRANGERS } from '../support/signing.ts';

const SEED = hex.decode('000102030405060708090a0b0c0d0e0f');
const PASSPHRASE = 'correct horse battery';
let folder: string;
let keyFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crossramp-signer-'));
  keyFile = join(folder, 'key.json');
  await writeKeyFile(keyFile, SEED, PASSPHRASE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the key file', () => {
  test('opens by its passphrase, is readable only by its owner, and does not contain the seed', async () => {
    expect(hex.encode(await readKeyFile(keyFile, PASSPHRASE))).toBe(hex.encode(SEED));
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, 'utf8')).not.toMatch(/00010203|AAECAw/);
  });

  test('opens by no other passphrase, and not after any change', async () => {
    await expect(readKeyFile(keyFile, `${PASSPHRASE} `)).rejects.toThrow('the passphrase does not open');
    const file = JSON.parse(readFileSync(keyFile, 'utf8'));
    const changed = join(folder, 'changed.json');
    for (const [name, reason] of [
      ['salt', 'does not open'],
      ['sealed', 'does not open'],
      ['nonce', 'does not open'],
      ['cipher', 'is not a key file'],
    ] as const) {
      const value = file[name];
      writeFileSync(
        changed,
        JSON.stringify({ ...file, [name]: (value[0] === 'A' ? 'B' : 'A') + value.slice(1) }),
      );
      await expect(readKeyFile(changed, PASSPHRASE)).rejects.toThrow(reason);
    }
    writeFileSync(changed, 'no JSON');
    await expect(readKeyFile(changed, PASSPHRASE)).rejects.toThrow('is not a key file');
  });

  test('is never overwritten, and needs a passphrase of a minimum length', async () => {
    await expect(writeKeyFile(keyFile, SEED, PASSPHRASE)).rejects.toThrow('never overwritten');
    await expect(writeKeyFile(join(folder, 'other.json'), SEED, 'short')).rejects.toThrow('at least 12');
  });
});

describe('seeds', () => {
  test('derive from words of BIP-39, with the same addresses as other wallets', async () => {
    // The vector of BIP-39 for 128 bits of zero, and its first addresses on `m/44'/60'/0'/0/0` and `m/44'/195'/0'/0/0`.
    const seed = await seedOf(`${'abandon '.repeat(11)} about\n`);
    expect(hex.encode(seed).slice(0, 16)).toBe('5eb00bbddcf06908');
    const { addressOf } = openWallet(seed);
    expect(addressOf('ETH', { purpose: 'deposit', index: 0 })).toBe(
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    );
    expect(addressOf('TRX', { purpose: 'deposit', index: 0 })).toBe('TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH');
  });

  test('the hot wallet is in an account of its own', async () => {
    const { hot, xpub, addressOf } = openWallet(SEED);
    expect(hot.ETH).toBe(hot.BASE);
    expect(hot.ETH).not.toBe(addressOf('ETH', { purpose: 'deposit', index: 0 }));
    expect(xpub.ETH).toBe(xpub.BSC);
    expect(xpub.ETH).toMatch(/^xpub/);
    expect(xpub.TRX).not.toBe(xpub.ETH);
  });

  test('are new each time, or hexadecimal; a typing error is found, and the message does not repeat the words', async () => {
    expect(newWords().split(' ')).toHaveLength(24);
    expect(newWords()).not.toBe(newWords());
    expect(hex.encode(await seedOf(`${hex.encode(SEED)}\n`))).toBe(hex.encode(SEED));
    for (const wrong of ['abandon '.repeat(12), 'secretly', '00', ''])
      await expect(seedOf(wrong)).rejects.toThrow(/^expected 12 to 24 words of BIP-39 in English, or a seed/);
  });
});

describe('the policy', () => {
  const of = (json: unknown) => {
    const path = join(folder, 'policy.json');
    writeFileSync(path, typeof json === 'string' ? json : JSON.stringify(json));
    return readPolicy(path);
  };

  test('is the default one without a file; a file replaces single members', () => {
    const { all, unproven, currencies } = readPolicy();
    expect([all.hour, unproven.hour].map(usd)).toEqual(['10000', '0']);
    expect(currencies.get('USDT_TRX')?.day).toBe(40_000_000_000n);
    const own = of({ unproven: { hour: '7.5' }, values: { TRX_TRX: '0.3' } });
    expect(own.unproven).toEqual({ ...unproven, hour: 7_500_000n });
    expect(own.values.get('TRX_TRX')).toBe(300_000n);
    expect(own.values.get('ETH_BASE')).toBe(5_000_000_000n);
  });

  test.each([
    ['no JSON', '{', /policy\.json: /],
    ['an unknown member', { limit: '1' }, /limit: there is no such setting/],
    ['a number in place of a text', { all: { hour: 10 } }, /all\.hour: expected a decimal amount/],
    ['too many decimals', { fee: '1.0000001' }, /fee: expected a decimal amount/],
    ['a negative amount', { fee: '-1' }, /fee: expected a decimal amount/],
    ['an unknown limit', { all: { week: '1' } }, /all\.week: there is no such setting/],
    ['an unknown currency', { values: { EUR: '1' } }, /values\.EUR: expected one of USDT_TRX/],
    [
      'a destination that is none',
      { withdrawn: [{ network: 'ETH', address: 'x' }] },
      /withdrawn\[0\]\.address: expected an address on ETH/,
    ],
    ['a rate of none', { perMinute: 0 }, /perMinute: expected an integer from 1/],
    ['an approver of no kind', { approvers: [{ id: 'a' }] }, /approvers\[0\]\.kind: expected "key"/],
    [
      'a passkey of the gateway',
      { approvers: [{ kind: 'passkey', id: 'a', publicKey: 'x', rpId: 'x', origin: 'x' }] },
      /approvers\[0\]\.kind: expected "key"; a passkey is enrolled on the page of the signer/,
    ],
    [
      'a page without TLS',
      { page: { origin: 'http://prove.example.com' } },
      /page\.origin: expected an origin such as/,
    ],
    ['a page with a path', { page: { origin: 'https://prove.example.com/' } }, /page\.origin: expected/],
    [
      'a page on the origin of the gateway',
      { page: { origin: 'https://ramp.example.com', console: 'https://ramp.example.com' } },
      /page\.console: expected another origin than that of the page/,
    ],
  ])('%s is refused by name', (_, json, message) => {
    expect(() => of(json)).toThrow(message);
  });

  test('the message about a private key in place of a public one does not repeat the key', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const given = { approvers: [{ kind: 'key', id: 'loja', publicKey: pem }] };
    expect(() => of(given)).toThrow(
      /approvers\[0\]\.publicKey: expected an Ed25519 or P-256 public key in PEM$/,
    );
  });
});

describe('a proof', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nowMs = 1_800_000_000_000;
  const expiresAt = expiryText(nowMs + 86_400_000);
  const approver = { id: 'loja', publicKey, account: null };
  const proofOf = (address: string) => {
    const destination = { account: '1', network: 'TRX', address, expiresAt };
    const signature = sign('sha256', Buffer.from(destinationStatement(destination)), privateKey);
    return { kind: 'key', id: 'loja', account: '1', expiresAt, signature: signature.toString('base64url') };
  };
  const check = (proof: unknown, address: string, policy: object = {}) =>
    checkProof(
      {
        policy: { approvers: [approver], withdrawn: new Set(), proofDays: 365, ...policy },
        record: { proofOf: () => undefined, nowMs: () => nowMs },
        passkeys: NO_PASSKEYS,
      },
      proof,
      'TRX',
      address,
    );
  const wrong = expect.objectContaining({ name: 'Refusal', reason: 'proof_wrong' });

  test('of a P-256 key is a signature of the statement', () => {
    check(proofOf(STRANGERS.TRX), STRANGERS.TRX);
    expect(() => check(proofOf(STRANGERS.TRX), STRANGERS.TRX2)).toThrow(wrong);
  });

  test('is not valid for an address that the policy lists as withdrawn', () => {
    const policyFile = join(folder, 'withdrawn.json');
    writeFileSync(policyFile, JSON.stringify({ withdrawn: [{ network: 'TRX', address: STRANGERS.TRX }] }));
    const { withdrawn } = readPolicy(policyFile);
    expect(() => check(proofOf(STRANGERS.TRX), STRANGERS.TRX, { withdrawn })).toThrow(
      'the proof of this destination was withdrawn',
    );
  });

  test.each([
    ['nothing', null],
    ['a text', 'proof'],
    ['a proof of no kind', { ...proofOf(STRANGERS.TRX), kind: 'paper' }],
    ['a proof of the page that was never made', { kind: 'passkey', id: 'x', account: '1', expiresAt }],
  ])('%s is refused', (_, proof) => {
    expect(() => check(proof, STRANGERS.TRX)).toThrow(wrong);
  });
});

describe('the log of refusals', () => {
  test('has the first of a reason immediately, and the others as one line with their number', () => {
    const lines: { reason: string; detail: string; refusals: number }[] = [];
    const log = openRefusalLog((facts) => lines.push(facts), 2 ** 30);
    for (let i = 0; i < 5; i += 1) log.refused({ reason: 'limit_hour', detail: `try ${i}`, times: i });
    log.refused({ reason: 'key', detail: 'another' });
    log.close();
    expect(lines).toEqual([
      { reason: 'limit_hour', detail: 'try 0', times: 0, refusals: 1 },
      { reason: 'key', detail: 'another', refusals: 1 },
      { reason: 'limit_hour', detail: 'try 4', times: 4, refusals: 4 },
    ]);
  });
});

test('the documentation has every member of the policy, with its default', () => {
  const text = readFileSync(new URL('../../docs/signer.md', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('| Member | Default |'), text.indexOf('Hours and days are'));
  const rows = new Map(
    [...table.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, shipped]) => [name, shipped]),
  );
  const policyFile = join(folder, 'unknown.json');
  writeFileSync(policyFile, '{"unknown": 1}');
  const known = /known here: (.+)$/.exec(messageOf(() => readPolicy(policyFile)))?.[1]?.split(', ');
  expect([...rows.keys()].toSorted()).toEqual(known?.toSorted());
  // What is too long to be written out there is told in words.
  const { values: _values, currencies: _currencies, ...written } = DEFAULT_POLICY;
  for (const [name, value] of Object.entries(written))
    expect([name, JSON.parse(rows.get(name)?.replaceAll('`', '') ?? 'null')]).toEqual([name, value]);
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
