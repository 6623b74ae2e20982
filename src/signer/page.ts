/**
 * Enrols passkeys, and lets them prove destinations, on a page of the signer's own origin. A challenge is the hash of
 * the destination, its expiry and a nonce of the signer, so the answer to any other challenge, such as that of a
 * sign-in at the gateway, proves nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isRefusedDestination, parseAddress } from '../base/chain/address.ts';
import { expiryText, type ProvenDestination, pageChallenge } from '../chains/whitelist-proof.ts';
import { ACCOUNT_FORM } from './approvers.ts';
import type { EnrolledPasskey, Passkeys } from './passkeys.ts';
import { destinationName, type PageSettings, type Policy } from './policy.ts';
import { lastExpiryMs } from './proof.ts';
import type { SignedRecord } from './record.ts';
import { Refusal } from './signer-error.ts';
import { SIGNED_NETWORKS } from './wallet.ts';

/** Members of the body of a request. */
export type PageInput = Readonly<Record<string, unknown>>;

/** Options with which a browser proves a destination; the browser returns all members except `publicKey`. */
export interface ProofRequest extends ProvenDestination {
  readonly nonce: string;
  /** Authenticates the request as one that this signer made. */
  readonly seal: string;
  readonly publicKey: PublicKeyCredentialRequestOptionsJSON;
}

/** The page without its server. Every function throws {Refusal} for input that it does not accept. */
export interface SignerPage {
  readonly enrolOptions: (input: PageInput) => Promise<PublicKeyCredentialCreationOptionsJSON>;
  readonly enrol: (input: PageInput) => Promise<Pick<EnrolledPasskey, 'name' | 'account'>>;
  readonly proveOptions: (input: PageInput) => Promise<ProofRequest>;
  /** @returns the proof in the gateway's stored form, and the origin of the console that receives it. */
  readonly prove: (input: PageInput) => Promise<{ id: string; expiresAt: string; console: string | null }>;
}

const NONCE_BYTES = 32;
/** Time limit of an answer, long enough for a person to read and to find the passkey. Unit: ms. */
const ANSWER_MS = 10 * 60_000;

/** @returns the page of a signer. Its challenges are valid only in this process. */
export function createSignerPage(
  policy: Policy,
  page: PageSettings,
  passkeys: Passkeys,
  record: Pick<SignedRecord, 'addProof' | 'nowMs'>,
): SignerPage {
  const seal = sealBy(randomBytes(NONCE_BYTES));
  // A code is used once, so its challenge can be derived from it and need not be stored.
  const challengeOf = (code: string) => seal('enrol', code);
  return {
    enrolOptions: async ({ code }) => {
      const { account, name } = passkeys.enrolmentOf(textOf('code', code));
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      return generateRegistrationOptions({
        rpName: 'Crossramp signer',
        rpID: page.rpId,
        userName: `${name} (${account})`,
        userDisplayName: name,
        challenge: new Uint8Array(Buffer.from(challengeOf(String(code)), 'base64url')),
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
    },
    enrol: async ({ code, response }) => {
      passkeys.enrolmentOf(textOf('code', code));
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: challengeOf(String(code)),
        expectedOrigin: page.origin,
        expectedRPID: page.rpId,
        requireUserVerification: true,
      }).catch(() => ({ registrationInfo: undefined }));
      if (!registrationInfo) throw new Refusal('enrolment', 'the passkey was not made for this code');
      const { id, publicKey } = registrationInfo.credential;
      const key = Buffer.from(publicKey).toString('base64url');
      const { account, name } = passkeys.enrol(String(code), { id, publicKey: key });
      return { account, name };
    },
    proveOptions: async (input) => {
      const entry = entryOf(policy, input);
      const destination = { ...entry, expiresAt: expiryText(lastExpiryMs(policy, record.nowMs())) };
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      const challenge = pageChallenge(destination, nonce);
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
      const publicKey = await generateAuthenticationOptions({
        rpID: page.rpId,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        userVerification: 'required',
      });
      return { ...destination, nonce, seal: seal('prove', challenge), publicKey };
    },
    prove: async (input) => {
      const destination = { ...entryOf(policy, input), expiresAt: textOf('expiresAt', input.expiresAt) };
      const nonce = textOf('nonce', input.nonce);
      const challenge = pageChallenge(destination, nonce);
      if (!isSame(seal('prove', challenge), textOf('seal', input.seal)))
        throw new Refusal('proof_wrong', 'this signer did not request this proof');
      const expiresMs = Date.parse(destination.expiresAt);
      const nowMs = record.nowMs();
      if (expiresMs + ANSWER_MS < lastExpiryMs(policy, nowMs))
        throw new Refusal('proof_wrong', 'the answer arrived too late: start again');
      const passkey = await approverOf(page, passkeys, destination.account, challenge, input.response);
      const proof = { ...destination, id: nonce, passkey: passkey.id, expiresMs };
      if (!record.addProof(proof, nowMs)) throw new Refusal('proof_wrong', 'this proof was already made');
      return { id: nonce, expiresAt: destination.expiresAt, console: page.console };
    },
  };
}

/**
 * @returns the answering passkey.
 * @throws {Refusal} `proof_wrong` unless the passkey is enrolled for the account and answered on this page.
 */
async function approverOf(
  page: PageSettings,
  passkeys: Passkeys,
  account: string,
  challenge: string,
  response: unknown,
): Promise<EnrolledPasskey> {
  const id = (response as Partial<AuthenticationResponseJSON> | null | undefined)?.id;
  const passkey = typeof id === 'string' ? passkeys.find(id) : undefined;
  if (!passkey) throw new Refusal('proof_wrong', 'this passkey is not enrolled at the signer');
  if (passkey.account !== account)
    throw new Refusal('proof_wrong', `this passkey is enrolled for account ${passkey.account} only`);
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: page.origin,
    expectedRPID: page.rpId,
    // Each challenge is accepted once, which is stronger than a signature counter.
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: 0,
    },
    requireUserVerification: true,
  }).catch(() => ({ verified: false }));
  if (!verified) throw new Refusal('proof_wrong', 'the passkey did not answer this challenge on this page');
  return passkey;
}

function entryOf(
  policy: Policy,
  { account, network, address }: PageInput,
): Omit<ProvenDestination, 'expiresAt'> {
  const owner = textOf('account', account);
  if (!ACCOUNT_FORM.test(owner)) throw new Refusal('unreadable', 'account: expected the id of an account');
  const name = textOf('network', network);
  if (!SIGNED_NETWORKS.includes(name))
    throw new Refusal('network', `network: expected one of ${SIGNED_NETWORKS.join(', ')}`);
  const canonical = parseAddress(name, textOf('address', address).trim());
  if (canonical === undefined) throw new Refusal('destination', `this is not an address on ${name}`);
  const refused = isRefusedDestination(name, canonical);
  if (refused) throw new Refusal('destination', `the address is ${refused}`);
  if (policy.withdrawn.has(destinationName(name, canonical)))
    throw new Refusal('destination', 'the policy of the signer lists this address as withdrawn');
  return { account: owner, network: name, address: canonical };
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Refusal('unreadable', `${name}: expected a text`);
  return value;
}

/** @returns a function that authenticates texts for one purpose, under a secret of this process. */
function sealBy(secret: Uint8Array): (purpose: string, text: string) => string {
  return (purpose, text) => createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
