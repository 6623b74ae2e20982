/** Browsers in which people are signed in. Only the hash of a session's token is stored. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Role } from '../../base/access/roles.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A valid session, with its person and the person's current account. */
export interface ValidSession {
  readonly sessionId: string;
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly accountId: bigint;
  readonly mode: AccountMode;
  readonly role: Role;
  readonly allowedOrigins: readonly string[];
  readonly seenAt: Instant;
  readonly verifiedAt: Instant | null;
  readonly hasPasskey: boolean;
  readonly hasJustSignedIn: boolean;
  /** Whether the account requires a passkey of this role for every action. */
  readonly needsPasskey: boolean;
}

/** A session as its owner sees it. */
export interface OwnSession {
  readonly id: string;
  readonly accountId: bigint;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** A session to store. */
export interface NewSession {
  readonly id: string;
  readonly personId: string;
  readonly accountId: bigint;
  readonly hash: Buffer;
  /** Time of the sign-in, in this or another cell. */
  readonly begunAt: Date;
  readonly at: Date;
  /** Time of the last passkey; null if the person signed in by other means. */
  readonly verifiedAt: Date | null;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** Lifetime of a session: without use, and in total. Unit: ms. */
export const SESSION_MS = { idle: 12 * 3_600_000, absolute: 7 * 86_400_000 } as const;

/** Age up to which a sign-in counts as recent. Unit: minutes. */
export const JUST_MINUTES = 10;

/** Validity of a session `s`: the first parameter is the earliest allowed last use, the second the earliest allowed start. */
const HOLDS = 's.revoked_at is null and s.seen_at > $1 and s.created_at > $2';
/** A person who was removed from the account of the session is switched to another of their accounts. */
const ACCOUNT = `join lateral (
    select m.account_id, m.role from membership m where m.person_id = s.person_id and m.joined_at is not null
      order by m.account_id <> s.account_id, m.account_id limit 1) m on true`;
const VALID: Statement = {
  name: 'person_session_valid',
  text: `select s.id as "sessionId", p.id as "personId", p.name, p.email, a.id as "accountId", a.mode, m.role,
      a.allowed_origins as "allowedOrigins", s.seen_at as "seenAt", s.verified_at as "verifiedAt",
      exists (select from passkey k where k.person_id = p.id) as "hasPasskey",
      s.created_at > now() - interval '${JUST_MINUTES} minutes' as "hasJustSignedIn", m.role = any (a.passkey_roles) as "needsPasskey"
    from person_session s join person p on p.id = s.person_id ${ACCOUNT} join account a on a.id = m.account_id
    where s.hash = $3 and ${HOLDS}`,
};
const STILL_VALID: Statement = {
  name: 'person_sessions_still_valid',
  text: `select s.id, m.account_id as "accountId" from unnest($3::text[], $4::bigint[]) asked (id, account_id)
      join person_session s on s.id = asked.id
      join membership m on m.account_id = asked.account_id and m.person_id = s.person_id and m.joined_at is not null
    where ${HOLDS}`,
};
const STORE: Statement = {
  name: 'person_session_store',
  text: `insert into person_session (id, person_id, account_id, hash, created_at, seen_at, verified_at, user_agent, address)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};
const TOUCH: Statement = {
  name: 'person_session_touch',
  text: `update person_session set seen_at = greatest(seen_at, $2) where id = $1`,
};
const VERIFY: Statement = {
  name: 'person_session_verify',
  text: `update person_session set verified_at = $2 where id = $1`,
};
const SWITCH: Statement = {
  name: 'person_session_switch',
  text: `update person_session s set account_id = $2 where id = $1 and exists (
    select from membership m where m.person_id = s.person_id and m.account_id = $2 and m.joined_at is not null) returning id`,
};
/** Maximum number of sessions of a person in their list. */
export const SESSIONS_LISTED = 100;
const OWN: Statement = {
  name: 'person_session_own',
  text: `select s.id, s.account_id as "accountId", s.created_at as "createdAt", s.seen_at as "seenAt",
      s.user_agent as "userAgent", s.address
    from person_session s where s.person_id = $3 and ${HOLDS} order by s.seen_at desc, s.id limit ${SESSIONS_LISTED}`,
};
const SIGN_IN_TIME: Statement = {
  name: 'person_session_sign_in_time',
  text: 'select created_at as "begunAt" from person_session where id = $1',
};
const FIND_OWN: Statement = {
  name: 'person_session_find_own',
  text: `select s.id from person_session s where s.person_id = $3 and s.id = $4 and ${HOLDS}`,
};
const REVOKE: Statement = {
  name: 'person_session_revoke',
  text: `update person_session set revoked_at = coalesce(revoked_at, $3) where person_id = $1 and id = $2`,
};
const REVOKE_ALL: Statement = {
  name: 'person_session_revoke_all',
  text: `update person_session set revoked_at = $2 where person_id = $1 and revoked_at is null`,
};

const oldest = (now: Date) => [
  new Date(now.getTime() - SESSION_MS.idle),
  new Date(now.getTime() - SESSION_MS.absolute),
];

/** @returns the session whose token has this hash, while it is valid and its person has a role. */
export async function findValidSession(tx: Tx, hash: Buffer, now: Date): Promise<ValidSession | undefined> {
  const [session] = await tx.query<ValidSession>(VALID, [...oldest(now), hash]);
  return session;
}

/** A session, and the account of its person in it. */
export type SessionUse = Pick<OwnSession, 'id' | 'accountId'>;

/** @returns the valid sessions, with the accounts in which their people still have a role. */
export function findValidSessions(tx: Tx, uses: readonly SessionUse[], now: Date): Promise<SessionUse[]> {
  const values = [uses.map(({ id }) => id), uses.map(({ accountId }) => accountId)];
  return tx.query<SessionUse>(STILL_VALID, [...oldest(now), ...values]);
}

/** Stores a session. */
export async function storeSession(tx: Tx, session: NewSession): Promise<void> {
  const { id, personId, accountId, hash, begunAt, at, verifiedAt, userAgent, address } = session;
  await tx.query(STORE, [id, personId, accountId, hash, begunAt, at, verifiedAt, userAgent, address]);
}

/** @returns when the person of a session signed in. */
export async function readSignInTime(tx: Tx, sessionId: string): Promise<Date> {
  const [row] = await tx.query<{ begunAt: string }>(SIGN_IN_TIME, [sessionId]);
  assert(row, 'a session that asks is there');
  return new Date(row.begunAt);
}

/** Stores that a session was used. */
export async function touchSession(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(TOUCH, [id, at]);
}

/** Records that the person of a session has presented a passkey. */
export async function verifySession(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.query(VERIFY, [sessionId, at]);
}

/** Switches a session to another account of its person. @returns whether the person has a role there. */
export async function switchSession(tx: Tx, id: string, accountId: bigint): Promise<boolean> {
  return (await tx.query(SWITCH, [id, accountId])).length > 0;
}

/** @returns the valid sessions of a person, the last used first. */
export function readOwnSessions(tx: Tx, personId: string, now: Date): Promise<OwnSession[]> {
  return tx.query<OwnSession>(OWN, [...oldest(now), personId]);
}

/** @returns whether the person has this session, and it is valid. */
export async function hasSession(tx: Tx, personId: string, id: string, now: Date): Promise<boolean> {
  return (await tx.query(FIND_OWN, [...oldest(now), personId, id])).length > 0;
}

/** Ends a session. */
export async function endSession(tx: Tx, personId: string, id: string, at: Date): Promise<void> {
  await tx.query(REVOKE, [personId, id, at]);
}

/** Ends all sessions of a person. */
export async function endSessions(tx: Tx, personId: string, at: Date): Promise<void> {
  await tx.query(REVOKE_ALL, [personId, at]);
}
