/**
 * Proves a destination of the whitelist by a passkey: its challenge is the destination itself, so the signer of networks can check the answer
 * without believing the gateway (docs/signer.md).
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import { notFound } from '../../base/errors.ts';
import { whitelistChallenge } from '../../chains/whitelist-proof.ts';
import { findEntry, keepProof, type WhitelistEntryRow } from '../../store/account/whitelist.ts';
import { findPasskey, readOwnPasskeys, usePasskey } from '../../store/people/passkeys.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requireAct } from '../services/context.ts';
import { isPasskeyId, passkeyPlace, refuseAnswer } from './passkeys.ts';

/** An address of the whitelist. */
export type ProvableEntry = WhitelistEntryRow & { readonly network: string };

const ID = /^wle_[\w-]{16}$/;
const BASE64URL = /^[\w-]+$/;

/** @returns the address that a person is about to prove. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, also for a PIX key. */
export async function entryToProve(context: Context, id: string): Promise<ProvableEntry> {
  requireAct(context, 'passkey.prove_destination');
  const entry = ID.test(id) ? await findEntry(context.database, context.caller.accountId, id) : undefined;
  if (!entry || entry.isRemoved || entry.network === null) throw notFound();
  return { ...entry, network: entry.network };
}

/** @returns what the browser needs to have the destination signed by a passkey of the person. @throws as `entryToProve`. */
export async function proveOptions(
  context: Context,
  id: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { network, target } = await entryToProve(context, id);
  const own = await readOwnPasskeys(context.database, context.caller.id);
  return generateAuthenticationOptions({
    rpID: passkeyPlace(context.publicUrl).rpID,
    challenge: new Uint8Array(Buffer.from(whitelistChallenge(network, target), 'base64url')),
    userVerification: 'required',
    allowCredentials: own.map((passkey) => ({ id: passkey.id })),
  });
}

/** Keeps what a passkey of the person answered, with the entry. @throws as `entryToProve`; `INVALID_PARAMETER`. */
export async function proveDestination(context: Context, id: string, response: unknown): Promise<void> {
  const { network, target } = await entryToProve(context, id);
  const given = response as Partial<AuthenticationResponseJSON> | null | undefined;
  const passkey = isPasskeyId(given?.id) ? await findPasskey(context.database, given.id) : undefined;
  if (passkey?.personId !== context.caller.id) return refuseAnswer();
  const { origin, rpID } = passkeyPlace(context.publicUrl);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: whitelistChallenge(network, target),
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: { id: passkey.id, publicKey: passkey.publicKey, counter: Number(passkey.counter) },
  }).catch(refuseAnswer);
  if (!verified) return refuseAnswer();
  const { authenticatorData, clientDataJSON, signature } = (response as AuthenticationResponseJSON).response;
  // What is verified is what its characters stand for; others among them would be kept, and given to the signer.
  if (!BASE64URL.test(clientDataJSON)) return refuseAnswer();
  const proof = { kind: 'passkey', id: passkey.id, authenticatorData, clientDataJSON, signature } as const;
  await audited(context, async (tx, writeDown) => {
    await usePasskey(tx, passkey.id, BigInt(authenticationInfo.newCounter), new Date());
    await keepProof(tx, context.caller.accountId, id, proof);
    writeDown('passkey.prove_destination', { kind: 'whitelist_entry', id });
  });
}
