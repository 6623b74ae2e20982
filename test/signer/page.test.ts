/**
 * Goal: a stolen gateway gets to no new destination, and to known ones at most the hourly limit (C-22). Method: the signer as a process
 * with its page on an origin of its own; an attacker with the socket, all stored proofs and the origin of the gateway, where people sign
 * in with a passkey of the gateway; people who enrol and prove on the signer's page in Chromium, and passkeys in software that lie.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SignRequest } from '../../src/chains/sign-request.ts';
import { type PageProof, pageChallenge } from '../../src/chains/whitelist-proof.ts';
import { SignerRefused, signerAt } from '../../src/rails/chain/signer.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { givePasskeyDevice } from '../support/passkey-device.ts';
import {
  enrolmentLink,
  newSigner,
  type SignerHome,
  type SignerProcess,
  startSigner,
} from '../support/signer.ts';
import { evmTransfer, requested, STRANGERS } from '../support/signing.ts';
import { type SoftPasskey, softPasskey } from '../support/soft-passkey.ts';

const ACCOUNT = '7';
const OWN = STRANGERS.EVM;
const ATTACKER = STRANGERS.EVM2;
const USDT = 1_000_000n;
const browser = useBrowser({ keepsPages: true });
let home: SignerHome;
let signer: SignerProcess;
let pagePort: number;
/** Origin of the signer's page, which browsers find on this machine. */
let origin: string;
let nonce = 0;

/** The gateway's origin, in the hands of the attacker: any page, on the host that passkeys of the gateway belong to. */
const gateway = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
});
let gatewayOrigin: string;

beforeAll(async () => {
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  gatewayOrigin = `http://localhost:${(gateway.address() as AddressInfo).port}`;
  pagePort = await freePort();
  origin = `http://signer.localhost:${pagePort}`;
  // Nothing leaves without proof: this installation pays no customer's own addresses.
  const unproven = { transaction: '0', hour: '0', day: '0' };
  home = await newSigner({ page: { origin, console: gatewayOrigin }, unproven });
  await startAll();
}, 120_000);
afterAll(async () => {
  gateway.close();
  await signer.end('SIGKILL');
  home.remove();
});

async function startAll(): Promise<void> {
  signer = await startSigner(home, '--socket', home.socket, '--page', `127.0.0.1:${pagePort}`);
}

/** A call of the page, as a program makes it: it may claim any origin. */
async function call(path: string, body: unknown, from = origin) {
  const answer = await fetch(`http://127.0.0.1:${pagePort}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: from },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const place = (address: string, account = ACCOUNT) => ({ account, network: 'ETH', address });
const itself = () => ({ origin, rpId: 'signer.localhost' });
const theGateway = () => ({ origin: gatewayOrigin, rpId: 'localhost' });

async function enrolled(account = ACCOUNT): Promise<SoftPasskey> {
  const code = new URL(await enrolmentLink(home, account)).hash.slice(1);
  const passkey = softPasskey();
  const { body } = await call('/enrol/options', { code });
  const made = await call('/enrol', { code, response: passkey.register(body.challenge, itself()) });
  expect(made).toEqual({ status: 200, body: { account, name: 'Ana Souza' } });
  return passkey;
}

async function prove(passkey: SoftPasskey, address: string, account = ACCOUNT): Promise<PageProof> {
  const { body } = await call('/prove/options', place(address, account));
  const { publicKey, ...request } = body;
  const response = passkey.answer(publicKey.challenge, itself());
  const made = await call('/prove', { ...request, response });
  expect(made.status).toBe(200);
  return { kind: 'passkey', id: made.body.id, account, expiresAt: made.body.expiresAt };
}

/** @returns the reason of the refusal; undefined when it is signed. */
async function withdraw(usd: number, to: string, proof: unknown, over: Partial<SignRequest> = {}) {
  nonce += 1;
  const unsigned = evmTransfer('USDT_ETH', to, BigInt(usd) * USDT, { nonce });
  const request = requested({ network: 'ETH', unsigned, intent: 'withdrawal', proof, ...over });
  try {
    await signerAt(home).sign(request);
    return undefined;
  } catch (error) {
    if (error instanceof SignerRefused) return error.reason;
    throw error;
  }
}

const refused = { status: 403, body: { reason: 'proof_wrong', detail: expect.any(String) } };

describe('C-22: a stolen gateway', () => {
  test('can send nothing to a new destination, and at most the hourly limit to known ones', async () => {
    const passkey = await enrolled();
    const proof = await prove(passkey, OWN);
    // A person's passkey of the gateway, which answers whatever challenge the gateway gives at a sign-in.
    const ofGateway = softPasskey();
    const { body } = await call('/prove/options', place(ATTACKER));
    const { publicKey, ...request } = body;
    const atSignIn = ofGateway.answer(publicKey.challenge, theGateway());
    expect(await call('/prove', { ...request, response: atSignIn })).toEqual(refused);
    // The same under the id of a passkey that the signer knows.
    const named = { ...atSignIn, id: passkey.id, rawId: passkey.id };
    expect(await call('/prove', { ...request, response: named })).toEqual(refused);
    // Even the signer's own passkey, had it been asked for on a page of the gateway.
    for (const page of [
      theGateway(),
      { ...itself(), origin: gatewayOrigin },
      { ...itself(), rpId: 'localhost' },
    ])
      expect(
        await call('/prove', { ...request, response: passkey.answer(publicKey.challenge, page) }),
      ).toEqual(refused);
    // An answer on the right page to a challenge of the attacker's choice, and a request of the attacker's making.
    const chosen = pageChallenge({ ...place(ATTACKER), expiresAt: request.expiresAt }, 'mine');
    const answer = passkey.answer(chosen, itself());
    for (const over of [{}, { nonce: 'mine' }, { nonce: 'mine', seal: 'mine' }])
      expect(await call('/prove', { ...request, ...over, response: answer })).toEqual(refused);

    const forged = [
      undefined,
      proof,
      { ...proof, address: ATTACKER },
      { ...proof, id: request.nonce },
      { kind: 'passkey', account: ACCOUNT, expiresAt: request.expiresAt, ...atSignIn },
      { kind: 'key', id: ofGateway.id, account: ACCOUNT, expiresAt: request.expiresAt, signature: 'AAAA' },
    ];
    for (const each of forged)
      expect(await withdraw(1, ATTACKER, each)).toBe(each === undefined ? 'proof_missing' : 'proof_wrong');
    for (const intent of ['payout', 'refund'] as const) {
      expect(await withdraw(1, ATTACKER, undefined, { intent })).toBe('limit_unproven');
      expect(await withdraw(1, ATTACKER, proof, { intent })).toBe('proof_wrong');
    }

    const known: (string | undefined)[] = [];
    for (const usd of [4_900, 4_900, 4_900, 150, 90, 40, 40]) known.push(await withdraw(usd, OWN, proof));
    // 4,900 + 4,900 + 150 + 40 and their fees of 0.65 each: at most 10,000.
    expect(known).toEqual([
      undefined,
      undefined,
      'limit_hour',
      undefined,
      'limit_hour',
      undefined,
      'limit_hour',
    ]);
  });

  test('cannot enrol a passkey without a code, with a used code, or by a passkey of another page', async () => {
    const mine = softPasskey();
    const { body } = await call('/prove/options', place(ATTACKER));
    const register = mine.register(body.publicKey.challenge, itself());
    for (const code of ['', '../passkeys', 'x'.repeat(22)])
      expect(await call('/enrol', { code, response: register })).toMatchObject({
        status: 403,
        body: { reason: 'enrolment' },
      });
    const code = new URL(await enrolmentLink(home, ACCOUNT)).hash.slice(1);
    const { challenge } = (await call('/enrol/options', { code })).body;
    for (const page of [theGateway(), { ...itself(), origin: gatewayOrigin }, { ...itself(), flags: 1 }])
      expect(await call('/enrol', { code, response: mine.register(challenge, page) })).toMatchObject({
        status: 403,
      });
    const theirs = softPasskey();
    expect((await call('/enrol', { code, response: theirs.register(challenge, itself()) })).status).toBe(200);
    expect(await call('/enrol', { code, response: mine.register(challenge, itself()) })).toMatchObject({
      status: 403,
      body: { reason: 'enrolment' },
    });
  });

  test('cannot use a proof or a passkey of one account for another', async () => {
    const passkey = await enrolled('8');
    const proof = await prove(passkey, OWN, '8');
    expect(await withdraw(1, OWN, { ...proof, account: ACCOUNT })).toBe('proof_wrong');
    const { publicKey, ...request } = (await call('/prove/options', place(OWN))).body;
    const response = passkey.answer(publicKey.challenge, itself());
    expect(await call('/prove', { ...request, response })).toEqual(refused);
  });

  test('gets no answer from a page of another origin, cannot sign on the page, and cannot reach the page by the socket', async () => {
    expect((await call('/prove/options', place(OWN), gatewayOrigin)).status).toBe(403);
    expect((await call('/sign', {})).status).toBe(404);
    const page = await fetch(`http://127.0.0.1:${pagePort}/prove`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect((await fetch(`http://127.0.0.1:${pagePort}/.well-known/webauthn`)).status).toBe(404);
  });
});

test('an answer counts once, and a proof ends with the passkey that made it', async () => {
  const passkey = await enrolled('9');
  const { publicKey, ...request } = (await call('/prove/options', place(OWN, '9'))).body;
  const response = passkey.answer(publicKey.challenge, itself());
  const { status, body } = await call('/prove', { ...request, response });
  expect(status).toBe(200);
  expect(await call('/prove', { ...request, response })).toEqual(refused);

  const file = join(home.folder, 'passkeys.json');
  const others = JSON.parse(readFileSync(file, 'utf8')).filter(({ id }: { id: string }) => id !== passkey.id);
  await signer.end('SIGTERM');
  writeFileSync(file, JSON.stringify(others));
  await startAll();
  const proof = { kind: 'passkey', id: body.id, account: '9', expiresAt: body.expiresAt };
  expect(await withdraw(1, OWN, proof)).toBe('proof_wrong');
});

describe.runIf(hasBrowser)('in a browser', () => {
  let page: Page;

  test('a person enrols, and proves an address that they paste; the console gets the proof', async () => {
    page = await browser.open(await enrolmentLink(home, '5'), { prepare: givePasskeyDevice });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('The passkey is enrolled').waitFor();
    expect(await page.locator('#enrolled').innerText()).toContain('Ana Souza');

    const query = new URLSearchParams({ ...place(OWN, '5'), entry: 'wle_0123456789abcdef' });
    await page.goto(`${origin}/prove?${query}`);
    await page.getByLabel('paste it from your own wallet').fill(OWN.toLowerCase());
    await page.getByRole('button', { name: 'Prove it with a passkey' }).click();
    const back = page.getByRole('link', { name: 'Back to the console' });
    const link = new URL((await back.getAttribute('href')) ?? '');
    expect([link.origin, link.pathname, link.searchParams.get('entry')]).toEqual([
      gatewayOrigin,
      '/console/whitelist',
      'wle_0123456789abcdef',
    ]);
    const [id, expiresAt] = ['proof', 'until'].map((name) => link.searchParams.get(name) as string);
    expect(await withdraw(1, OWN, { kind: 'passkey', id, account: '5', expiresAt })).not.toBe('proof_wrong');
  });

  test('a person who follows a link with the attacker’s address cannot sign that address', async () => {
    await page.goto(`${origin}/prove?${new URLSearchParams(place(ATTACKER, '5'))}`);
    expect(await page.content()).not.toContain(ATTACKER);
    await page.getByLabel('paste it from your own wallet').fill(OWN);
    await page.getByRole('button', { name: 'Prove it with a passkey' }).click();
    await page.getByText('The console asks for another address').waitFor();
    expect(await page.getByRole('link', { name: 'Back to the console' }).isVisible()).toBe(false);
  });

  test('a page of the gateway can neither request the passkey of the signer nor frame its page', async () => {
    await page.goto(gatewayOrigin);
    const refusal = await page.evaluate(async () => {
      const publicKey = { challenge: new Uint8Array(32), rpId: 'signer.localhost' };
      return navigator.credentials.get({ publicKey }).catch((error: Error) => error.name);
    });
    expect(refusal).toBe('SecurityError');
    const framed = await page.evaluate(async (src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      const loaded = new Promise((resolve) => {
        frame.onload = resolve;
      });
      document.body.append(frame);
      await loaded;
      return frame.contentDocument === null;
    }, `${origin}/prove`);
    expect(framed).toBe(true);
    expect(await page.frames()[1]?.content()).not.toContain('Prove an address');
  });
});
