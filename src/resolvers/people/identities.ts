/**
 * Signs in people through a provider of sign-ins (OpenID Connect): only those who were invited under a verified e-mail
 * address.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import { addIdentity, findByIdentity, type Identity } from '../../store/people/identities.ts';
import { findPerson, type Person, readInvitations, readOwnAccounts } from '../../store/people/people.ts';
import type { Services } from '../services/context.ts';
import { acceptInvitation, endEarlierSignIns } from './earlier-sign-ins.ts';
import { type Device, signIn } from './sessions.ts';

/** Claims of a provider about a person. */
export interface Claims extends Identity {
  readonly email: string | undefined;
  /** Whether the provider has made sure that the address is theirs. */
  readonly isVerified: boolean;
}

/**
 * Signs in by the claims of a provider. The first time, the person is found by the verified e-mail address, and earlier
 * credentials under that address are revoked: the holder of an invitation need not be the owner of the address.
 *
 * @returns the token of the session.
 * @throws {GatewayError} `FORBIDDEN` for a person who was not invited, or whose address is not verified.
 */
export async function signInByIdentity(services: Services, claims: Claims, device: Device): Promise<string> {
  const { database } = services;
  const known = await findByIdentity(database, claims);
  const person = known ?? (await invitedPerson(database, claims));
  const [membership] = await readOwnAccounts(database, person.id);
  // A person with a role accepts further invitations by their links.
  const accountId = membership?.accountId ?? (await readInvitations(database, person.id))[0];
  if (accountId === undefined) throw refusal('the person has neither a role nor an invitation');
  return signIn(
    services,
    { personId: person.id, accountId, method: 'OIDC' },
    device,
    async (tx, writeDown) => {
      const at = new Date(database.nowMs());
      if (!known) {
        if (!(await addIdentity(tx, claims, person.id, at)))
          throw refusal('the person has another subject at this issuer');
        const passkeys = await endEarlierSignIns(tx, person.id, at);
        const { issuer } = claims;
        writeDown(
          'identity.add',
          { kind: 'person', id: person.id },
          { after: { issuer, passkeysRemoved: passkeys } },
        );
      }
      await acceptInvitation(tx, { accountId, personId: person.id, at });
    },
  );
}

async function invitedPerson(tx: Tx, { email, isVerified }: Claims): Promise<Person> {
  if (email === undefined) throw refusal('the provider sent no e-mail address');
  if (!isVerified)
    throw refusal('the provider does not report the e-mail address as verified (OIDC_TRUST_EMAIL)');
  const person = await findPerson(tx, email.toLowerCase());
  if (!person) throw refusal('no one was invited under the e-mail address');
  return person;
}

/** @param reason - for the log: the caller is not told who was invited. */
function refusal(reason: string): GatewayError {
  return new GatewayError('FORBIDDEN', 'the provider gave no verified e-mail address of an invited person', {
    cause: new Error(reason),
  });
}
