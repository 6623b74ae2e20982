/** A signed-in person as a caller, like a key: use cases, limits and the audit log treat both in the same way (C-40). */
import { keyModeOf } from '../../base/access/account-mode.ts';
import { isPersonToken, personTokenHash } from '../../base/access/person-token.ts';
import { scopesOf } from '../../base/access/roles.ts';
import type { KeyRecord, SignedInPerson } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';
import { findValidSession, type ValidSession } from '../../store/people/person-sessions.ts';

/** A caller that is a person. */
export type PersonCaller = KeyRecord & { readonly person: SignedInPerson };

/** @returns the caller whose session has this token; undefined if it has ended, or its person has no role anywhere. */
export async function callerOfSession(database: Database, token: string): Promise<PersonCaller | undefined> {
  if (!isPersonToken(token)) return undefined;
  const session = await findValidSession(database, personTokenHash(token), new Date(database.nowMs()));
  return session && personCaller(session);
}

/** @returns the caller that the person of a session is, on the account of the session and with the scopes of the role there. */
export function personCaller(session: Omit<ValidSession, 'seenAt'>): PersonCaller {
  const { personId, accountId, mode, role, allowedOrigins, sessionId, name, email } = session;
  return {
    accountId,
    id: personId,
    mode: keyModeOf(mode),
    scopes: scopesOf(role),
    allowedCidrs: [],
    allowedOrigins,
    person: {
      sessionId,
      name,
      email,
      role,
      verifiedAt: session.verifiedAt === null ? null : new Date(session.verifiedAt),
      hasPasskey: session.hasPasskey,
      hasJustSignedIn: session.hasJustSignedIn,
      needsPasskey: session.needsPasskey,
    },
  };
}
