/**
 * Goal: C-60: receivers verify our webhooks with any library of Standard Webhooks. Method: the vectors of those libraries
 * (v1) and of svix (v1a); the reference library on what we sign, and on the same with one thing altered; many bodies.
 */
import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { webhookId } from '../../src/events/webhook-id.ts';
import {
  newSecret,
  newSigningKey,
  publicKeyOf,
  secretBytes,
  signatureHeader,
  signV1,
  signV1a,
  webhookHeaders,
} from '../../src/webhooks/sign.ts';

/** `sign function works` of the libraries of standard-webhooks, `test_asymmetric_key_signing` of svix. */
const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  v1: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  signingKey: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  publicKey: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  v1a: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
};
const SEED = { seed: 20_261_121 };
const TOKEN = '0123456789abcdef0123456789abcdef';

/** Verifies as a receiver would, from the public form alone. */
function verifiesV1a(
  publicKey: string,
  id: string,
  timestamp: number,
  body: string | Buffer,
  signature: string,
) {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  return verify(null, content, key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}

function delivery(change: Partial<Parameters<typeof webhookHeaders>[0]> = {}) {
  return {
    id: webhookId(42, TOKEN),
    at: new Date(),
    secrets: [newSecret()],
    body: '{"end2end":"CRX","note":"ação 🎈"}',
    eventName: 'onramp.pix_in.confirmed',
    sequence: 7,
    attempt: 1,
    ...change,
  };
}

describe('C-60: vectors', () => {
  const { id, timestampSeconds, body } = VECTOR;

  test('v1', () => {
    expect(signV1(VECTOR.secret, id, timestampSeconds, body)).toBe(VECTOR.v1);
    expect(signV1(VECTOR.secret, id, timestampSeconds, Buffer.from(body))).toBe(VECTOR.v1);
  });

  test('v1a', () => {
    expect(signV1a(VECTOR.signingKey, id, timestampSeconds, body)).toBe(VECTOR.v1a);
    expect(signV1a(VECTOR.signingKey, id, timestampSeconds, Buffer.from(body))).toBe(VECTOR.v1a);
    expect(publicKeyOf(VECTOR.signingKey)).toBe(VECTOR.publicKey);
    expect(verifiesV1a(VECTOR.publicKey, id, timestampSeconds, body, VECTOR.v1a)).toBe(true);
  });

  test('both in one header', () => {
    expect(signatureHeader([VECTOR.secret], { id, timestampSeconds, body }, VECTOR.signingKey)).toBe(
      `${VECTOR.v1} ${VECTOR.v1a}`,
    );
  });
});

describe('C-60: the reference library', () => {
  test('accepts what the gateway sends', () => {
    const sent = delivery();
    const webhook = new Webhook(sent.secrets[0] as string);
    expect(webhook.verify(sent.body, webhookHeaders(sent))).toEqual(JSON.parse(String(sent.body)));
  });

  test.each([
    ['webhook-id', 'evt_43_0123456789abcdef0123456789abcdef'],
    ['webhook-timestamp', String(Math.floor(Date.now() / 1000) - 1)],
    ['webhook-signature', 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
    ['webhook-signature', 'v1a,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
  ])('refuses another %s', (field, value) => {
    const sent = delivery();
    const headers = { ...webhookHeaders(sent), [field]: value };
    expect(() => new Webhook(sent.secrets[0] as string).verify(sent.body, headers)).toThrow(/signature/);
  });

  test('refuses another body, and another secret', () => {
    const sent = delivery();
    const headers = webhookHeaders(sent);
    expect(() => new Webhook(sent.secrets[0] as string).verify(`${sent.body} `, headers)).toThrow(
      /signature/,
    );
    expect(() => new Webhook(newSecret()).verify(sent.body, headers)).toThrow(/signature/);
  });

  test.each([
    [-301, /too old/],
    [302, /too new/],
  ])('refuses an attempt of %i seconds from now', (seconds, message) => {
    const sent = delivery({ at: new Date(Date.now() + seconds * 1000) });
    expect(() => new Webhook(sent.secrets[0] as string).verify(sent.body, webhookHeaders(sent))).toThrow(
      message,
    );
  });

  test('accepts any body, id and attempt', () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
    const token = fc.stringMatching(/^[0-9a-f]{32}$/);
    fc.assert(
      fc.property(
        bytes,
        fc.json(),
        token,
        fc.nat(),
        fc.integer({ min: 1, max: 10 }),
        (key, body, random, seq, n) => {
          const secret = `whsec_${Buffer.from(key).toString('base64')}`;
          expect(secretBytes(secret)).toEqual(Buffer.from(key));
          const sent = delivery({ id: webhookId(seq + 1, random), secrets: [secret], body, attempt: n });
          expect(new Webhook(secret).verify(body, webhookHeaders(sent))).toEqual(JSON.parse(body));
        },
      ),
      SEED,
    );
  });

  test('during a rotation accepts the old secret, the new one, and both together with a key', () => {
    const [older, newer, key] = [newSecret(), newSecret(), newSigningKey()];
    const sent = delivery({ secrets: [newer, older], signingKey: key.secret });
    const headers = webhookHeaders(sent);
    const versions = headers['webhook-signature']?.split(' ').map((each) => each.split(',')[0]);
    expect(versions).toEqual(['v1', 'v1', 'v1a']);
    for (const secret of [older, newer]) new Webhook(secret).verify(sent.body, headers);
    expect(() => new Webhook(newSecret()).verify(sent.body, headers)).toThrow(/signature/);
    const timestamp = Number(headers['webhook-timestamp']);
    const v1a = headers['webhook-signature']?.split(' ')[2] as string;
    expect(verifiesV1a(key.public, sent.id, timestamp, sent.body, v1a)).toBe(true);
  });
});

describe('C-60: v1a', () => {
  test('any body verifies under the public key, and no altered body does', () => {
    const [key, other] = [newSigningKey(), newSigningKey()];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (body, timestamp) => {
        const signature = signV1a(key.secret, 'evt_1_a', timestamp, body);
        expect(verifiesV1a(key.public, 'evt_1_a', timestamp, body, signature)).toBe(true);
        expect(verifiesV1a(other.public, 'evt_1_a', timestamp, body, signature)).toBe(false);
        expect(verifiesV1a(key.public, 'evt_2_a', timestamp, body, signature)).toBe(false);
        expect(verifiesV1a(key.public, 'evt_1_a', timestamp + 1, body, signature)).toBe(false);
        expect(verifiesV1a(key.public, 'evt_1_a', timestamp, `${body}.`, signature)).toBe(false);
      }),
      { ...SEED, numRuns: 30 },
    );
  });

  test('the public form is derived from the secret one', () => {
    const key = newSigningKey();
    expect(publicKeyOf(key.secret)).toBe(key.public);
    expect(key.secret).toMatch(/^whsk_[0-9A-Za-z+/]{86}==$/);
  });

  test('a public half of another key is refused', () => {
    const [one, other] = [newSigningKey(), newSigningKey()].map((key) =>
      Buffer.from(key.secret.slice(5), 'base64'),
    );
    const mixed = Buffer.concat([(one as Buffer).subarray(0, 32), (other as Buffer).subarray(32)]);
    expect(() => publicKeyOf(`whsk_${mixed.toString('base64')}`)).toThrow(RangeError);
  });

  test.each([
    '',
    'whsk_',
    VECTOR.secret,
    VECTOR.publicKey,
    VECTOR.signingKey.slice(5),
    `${VECTOR.signingKey} `,
    VECTOR.signingKey.replaceAll('/', '_'),
  ])('%j is no key', (text) => {
    expect(() => signV1a(text, 'evt_1_a', 1, '')).toThrow(RangeError);
  });
});

describe('C-60: secrets', () => {
  test('new ones have 32 bytes and differ', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect([secret, secretBytes(secret).length]).toEqual([secret, 32]);
  });

  const base64 = (length: number) => Buffer.alloc(length, 1).toString('base64');
  test.each([
    ['nothing', ''],
    ['the prefix alone', 'whsec_'],
    ['no prefix', base64(32)],
    ['another prefix', `whsk_${base64(32)}`],
    ['23 bytes', `whsec_${base64(23)}`],
    ['65 bytes', `whsec_${base64(65)}`],
    ['no padding', `whsec_${base64(32).replaceAll('=', '')}`],
    ['base64url', `whsec_${Buffer.alloc(32, 255).toString('base64url')}=`],
    ['a line feed', `whsec_${base64(32)}\n`],
    ['a blank within', `whsec_ ${base64(32)}`],
    ['bits left over', `whsec_${base64(32).replace(/.=$/, 'F=')}`],
  ])('%s is none, and the error does not show it', (_, secret) => {
    let message = '';
    try {
      secretBytes(secret);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toBe('expected whsec_ and the base64 of 24 to 64 bytes');
  });

  test('at least one is needed', () => {
    expect(() => webhookHeaders(delivery({ secrets: [] }))).toThrow(/at least one/);
  });
});

describe('C-60: header fields', () => {
  test('are complete for an attempt', () => {
    const at = new Date('2026-05-04T12:00:00.999Z');
    const sent = delivery({ at, secrets: [VECTOR.secret], attempt: 3 });
    expect(webhookHeaders(sent)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Crossramp-Webhooks/1',
      'webhook-id': `evt_42_${TOKEN}`,
      'webhook-timestamp': '1777896000',
      'webhook-signature': signV1(VECTOR.secret, sent.id, 1_777_896_000, sent.body),
      'crossramp-event': 'onramp.pix_in.confirmed',
      'crossramp-sequence': '7',
      'crossramp-attempt': '3',
    });
  });

  test.each(['', 'a b', 'a..b', 'a.', 'a\r\nx: y', 'á'])('%j is no name of an event', (eventName) => {
    expect(() => webhookHeaders(delivery({ eventName }))).toThrow(/name of an event/);
  });

  test.each(['', 'a.b', 'evt 1', 'evt_1\n', 'x'.repeat(129)])('%j is no id', (id) => {
    expect(() => webhookHeaders(delivery({ id }))).toThrow(/id of a webhook/);
  });

  test.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the time %d', (timestamp) => {
    expect(() => signV1(VECTOR.secret, 'evt_1_a', timestamp, '')).toThrow(/whole seconds/);
  });

  test('ids contain the position, of any size', () => {
    expect(webhookId(1, TOKEN)).toBe(`evt_1_${TOKEN}`);
    expect(webhookId(9_223_372_036_854_775_807n, TOKEN)).toBe(`evt_9223372036854775807_${TOKEN}`);
  });

  test.each([
    [0, TOKEN],
    [-1, TOKEN],
    [1.5, TOKEN],
    [1e21, TOKEN],
    [Number.NaN, TOKEN],
    [1, TOKEN.slice(0, 15)],
    [1, `${TOKEN}.`],
    [1, `${TOKEN}_`],
    [1, 'a'.repeat(65)],
  ])('%d and %j make no id', (seq, random) => {
    expect(() => webhookId(seq, random)).toThrow(/assertion/);
  });
});
