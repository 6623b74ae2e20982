/**
 * Passkeys (WebAuthn): a person adds them, signs in with them, and presents one again before actions that need it. They
 * belong to the host name of the gateway, and are used with fingerprint, face or PIN each time.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import { consoleOrigin } from '../../base/pages/console-url.ts';
import type { SignedInPerson } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  addPasskey,
  consumeChallenge,
  findPasskey,
  lockOwnPasskeys,
  type OwnPasskey,
  type Purpose,
  readOwnPasskeys,
  removePasskey,
  type StoredPasskey,
  storeChallenge,
  usePasskey,
} from '../../store/people/passkeys.ts';
import { readOwnAccounts } from '../../store/people/people.ts';
import { JUST_MINUTES, verifySession } from '../../store/people/person-sessions.ts';
import { audited } from '../checks/audited.ts';
import { checksOf } from '../checks/check-creation.ts';
import {
  type Context,
  requireFresh,
  requirePermission,
  requireScope,
  type Services,
} from '../services/context.ts';
import { type Device, signIn } from './sessions.ts';

/** Passkeys of a person: the browser gets their ids when one is requested. */
export const PASSKEYS_MAX = 50;

/** Loaded at the first use, which spares each start the library and its certificate parsers. */
const webauthn = () => import('@simplewebauthn/server');
const CHALLENGE_MS = 5 * 60_000;
const FORM = /^[\w-]{1,1400}$/;
const TRANSPORT = /^[a-z-]{1,20}$/;

/** @returns whether it can be the id of a passkey. */
export function isPasskeyId(id: unknown): id is string {
  return typeof id === 'string' && FORM.test(id);
}

/**
 * @returns the browser's options to make a passkey.
 * @throws {GatewayError} `FORBIDDEN` for a key; `STEP_UP_REQUIRED`; `STEP_CONFLICT` for one too many.
 */
export async function registrationOptions(context: Context): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const person = personOf(context);
  requireProof(context, person);
  const { database, caller, publicUrl } = context;
  const known = await readOwnPasskeys(database, caller.id);
  refuseMorePasskeys(known.length);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Crossramp',
    rpID: relyingParty(publicUrl).rpID,
    userID: new Uint8Array(Buffer.from(caller.id)),
    userName: person.email,
    userDisplayName: person.name,
    attestationType: 'none',
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await newChallenge(context, options.challenge, 'REGISTER', person.sessionId);
  return options;
}

/**
 * The first passkey is authorised by a sign-in of just now, and each further one by a passkey. @throws {GatewayError}
 * `STEP_UP_REQUIRED`.
 */
function requireProof(context: Context, person: SignedInPerson): void {
  if (person.hasPasskey) requireFresh({ ...context, caller: { ...context.caller, person } });
  else if (!person.hasJustSignedIn)
    throw new GatewayError(
      'STEP_UP_REQUIRED',
      `the first passkey needs a sign-in within the last ${JUST_MINUTES} minutes: sign in again, and add it then`,
    );
}

/** @throws {GatewayError} `STEP_CONFLICT`. */
function refuseMorePasskeys(count: number): void {
  if (count >= PASSKEYS_MAX)
    throw new GatewayError(
      'STEP_CONFLICT',
      `you have ${PASSKEYS_MAX} passkeys, the maximum: remove one first`,
    );
}

/** Adds the passkey that the browser made. @throws {GatewayError} as `registrationOptions`; `INVALID_PARAMETER`. */
export async function register(context: Context, response: unknown, name: string): Promise<void> {
  const person = personOf(context);
  const { sessionId } = person;
  const checks = checksOf(context);
  const title = checks.reference({ name: 'name', value: name || 'Passkey' });
  checks.refuse();
  requireProof(context, person);
  const { caller, publicUrl } = context;
  const { challenge } = await answered(context, response, 'REGISTER', sessionId);
  const { origin, rpID } = relyingParty(publicUrl);
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
  }).catch(refuseAnswer);
  if (!registrationInfo) return refuseAnswer();
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  const known = transportsOf(transports);
  const passkey = { id, personId: caller.id, publicKey, counter: BigInt(counter), transports: known };
  assert(title, 'an accepted input is present');
  await audited(context, async (tx, writeDown) => {
    const at = new Date(context.database.nowMs());
    await lockOwnPasskeys(tx, caller.id);
    const known = await readOwnPasskeys(tx, caller.id);
    refuseMorePasskeys(known.length);
    // Another session may have added the first one meanwhile.
    requireProof(context, { ...person, hasPasskey: known.length > 0 });
    if (!(await addPasskey(tx, passkey, title, at))) return refuseAnswer();
    await verifySession(tx, sessionId, at);
    writeDown('passkey.add', { kind: 'passkey', id }, { after: { name: title } });
  });
}

/** @returns the browser's options to request any passkey of this gateway. */
export async function signInOptions(services: Services): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return requestOptions(services, 'SIGN_IN', null);
}

/** @returns the person whose passkey an answer names, before the answer is checked; undefined for an unknown passkey. */
export async function personOfPasskey(
  { database }: Services,
  response: unknown,
): Promise<string | undefined> {
  const id = (response as Partial<AuthenticationResponseJSON> | null | undefined)?.id;
  return isPasskeyId(id) ? (await findPasskey(database, id))?.personId : undefined;
}

/** Signs in the owner of the passkey. @returns the token of the session. @throws {GatewayError} `UNAUTHORIZED`. */
export async function signInByPasskey(
  services: Services,
  response: unknown,
  device: Device,
): Promise<string> {
  const passkey = await checkAssertion(services, response, 'SIGN_IN', null);
  const { personId } = passkey;
  const [membership] = await readOwnAccounts(services.database, personId);
  if (!membership) throw refusal();
  return signIn(services, { personId, accountId: membership.accountId, method: 'PASSKEY' }, device, (tx) =>
    noteUse(tx, passkey, new Date(services.database.nowMs())),
  );
}

/** @throws {GatewayError} `UNAUTHORIZED` for a passkey that was removed after its answer was checked. */
async function noteUse(tx: Tx, { id, counter }: StoredPasskey, at: Date): Promise<void> {
  if (!(await usePasskey(tx, id, counter, at))) throw refusal();
}

/** @returns the browser's options to request a passkey of the signed-in person. */
export async function confirmOptions(context: Context): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { sessionId } = personOf(context);
  const own = await readOwnPasskeys(context.database, context.caller.id);
  const ids = own.map(({ id }) => id);
  return requestOptions(context, 'CONFIRM', sessionId, ids);
}

/**
 * Records a fresh passkey of the person: actions that need one can be performed for five minutes. @throws
 * {GatewayError} `UNAUTHORIZED`.
 */
export async function confirm(context: Context, response: unknown): Promise<void> {
  const { sessionId } = personOf(context);
  const passkey = await checkAssertion(context, response, 'CONFIRM', sessionId);
  if (passkey.personId !== context.caller.id) throw refusal();
  await audited(context, async (tx, writeDown) => {
    const at = new Date(context.database.nowMs());
    await noteUse(tx, passkey, at);
    await verifySession(tx, sessionId, at);
    writeDown('session.confirm', { kind: 'session', id: sessionId });
  });
}

/**
 * @returns the passkeys of the calling person; none for a key.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function ownPasskeys(context: Context): Promise<OwnPasskey[]> {
  requireScope(context, 'read');
  const { database, caller } = context;
  return caller.person ? readOwnPasskeys(database, caller.id) : [];
}

/** Removes one of the person's own passkeys. @throws {GatewayError} `NOT_FOUND`, `STEP_UP_REQUIRED`. */
export async function forgetPasskey(context: Context, id: string): Promise<void> {
  requirePermission(context, 'passkey.remove');
  personOf(context);
  await audited(context, async (tx, writeDown) => {
    if (!isPasskeyId(id) || !(await removePasskey(tx, context.caller.id, id))) throw notFound();
    writeDown('passkey.remove', { kind: 'passkey', id });
  });
}

async function requestOptions(
  services: Services,
  purpose: Purpose,
  sessionId: string | null,
  ids: readonly string[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(services.publicUrl).rpID,
    userVerification: 'required',
    allowCredentials: ids.map((id) => ({ id })),
  });
  await newChallenge(services, options.challenge, purpose, sessionId);
  return options;
}

/** @returns the passkey that signed, with its new counter. */
async function checkAssertion(
  services: Services,
  response: unknown,
  purpose: Purpose,
  sessionId: string | null,
): Promise<StoredPasskey> {
  const { challenge, id } = await answered(services, response, purpose, sessionId);
  const passkey = await findPasskey(services.database, id);
  if (!passkey) throw refusal();
  const { origin, rpID } = relyingParty(services.publicUrl);
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id,
      publicKey: passkey.publicKey,
      counter: Number(passkey.counter),
      transports: passkey.transports as AuthenticatorTransport[],
    },
  }).catch(() => {
    throw refusal();
  });
  if (!verified) throw refusal();
  return { ...passkey, counter: BigInt(authenticationInfo.newCounter) };
}

/** Uses the challenge of an answer up: right or wrong, it is answered once. */
async function answered(
  { database }: Services,
  response: unknown,
  purpose: Purpose,
  sessionId: string | null,
): Promise<{ readonly challenge: string; readonly id: string }> {
  const answer = response as Partial<AuthenticationResponseJSON> | null | undefined;
  const id = answer?.id;
  const challenge = challengeOf(answer?.response?.clientDataJSON);
  if (!isPasskeyId(id) || challenge === undefined) return refuseAnswer();
  if (!(await consumeChallenge(database, challenge, purpose, sessionId, new Date(database.nowMs()))))
    throw refusal();
  return { challenge, id };
}

/** The transports of a passkey are outside of the signed data: the browser can send anything. */
function transportsOf(answer: unknown): string[] {
  return Array.isArray(answer)
    ? answer.filter((transport) => typeof transport === 'string' && TRANSPORT.test(transport))
    : [];
}

function challengeOf(clientData: unknown): string | undefined {
  if (typeof clientData !== 'string') return undefined;
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'));
    return typeof challenge === 'string' && FORM.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}

async function newChallenge(
  { database }: Services,
  challenge: string,
  purpose: Purpose,
  sessionId: string | null,
): Promise<void> {
  const now = new Date(database.nowMs());
  const expiresAt = new Date(now.getTime() + CHALLENGE_MS);
  await storeChallenge(database, challenge, purpose, sessionId, { now, expiresAt });
}

/** @returns the origin and host name that passkeys of this gateway belong to. */
export function relyingParty(publicUrl: string): { readonly origin: string; readonly rpID: string } {
  const origin = consoleOrigin(publicUrl);
  return { origin, rpID: new URL(origin).hostname };
}

function personOf({ caller }: Context): SignedInPerson {
  if (!caller.person) throw new GatewayError('FORBIDDEN', 'only people have passkeys');
  return caller.person;
}

function refusal(): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'the passkey is not known here, or its answer came too late');
}

/** @throws {GatewayError} `INVALID_PARAMETER`, always. */
export function refuseAnswer(): never {
  throw invalidParameters([{ parameter: 'response', message: 'must be what the passkey answered' }]);
}
