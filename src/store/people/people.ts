/** People and their roles in accounts. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Role } from '../../base/access/roles.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A person who can sign in. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** E-mail address in lower case; no two people have the same. */
  readonly email: string;
}

/** A person with the role in an account. */
export interface Member extends Person {
  readonly role: Role;
  /** The inviter: a key, a person, or a user of the operating system. */
  readonly invitedBy: string;
  readonly invitedAt: Instant;
  /** Time of acceptance; null before. */
  readonly joinedAt: Instant | null;
  readonly lastSeenAt: Instant | null;
  readonly passkeys: number;
  /** Whether the person counts as a separate maker, and not as one with the inviter. */
  readonly isConfirmed: boolean;
}

/** An account in which a person has a role. */
export interface OwnAccount {
  readonly accountId: bigint;
  readonly name: string;
  readonly mode: AccountMode;
  readonly isPlatform: boolean;
  readonly role: Role;
}

/** A membership to be stored. */
export interface NewMembership {
  readonly accountId: bigint;
  readonly personId: string;
  readonly role: Role;
  readonly invitedBy: string;
  /** Set if a key invited them: both count as one maker. */
  readonly invitedByKey: string | null;
  readonly at: Date;
}

const PERSON = 'id, name, email';
const BY_EMAIL: Statement = {
  name: 'person_by_email',
  text: `select ${PERSON} from person where email = $1`,
};
const ADD: Statement = {
  name: 'person_add',
  text: `with added as (
      insert into person (id, name, email, created_at) values ($1, $2, $3, $4)
        on conflict (email) do nothing returning ${PERSON})
    select ${PERSON} from added union all select ${PERSON} from person where email = $3 limit 1`,
};
const MEMBER = `not exists (select from invitation_maker i where i.account_id = m.account_id and i.person_id = m.person_id
    and i.confirmed_at is null) as "isConfirmed", p.id, p.name, p.email, m.role, m.invited_by as "invitedBy", m.invited_at as "invitedAt",
  m.joined_at as "joinedAt", (select count(*)::int from passkey k where k.person_id = p.id) as passkeys,
  (select max(s.seen_at) from person_session s where s.person_id = p.id and s.account_id = m.account_id) as "lastSeenAt"`;
const MEMBERS: Statement = {
  name: 'membership_list',
  text: `select ${MEMBER} from membership m join person p on p.id = m.person_id
    where m.account_id = $1 order by m.invited_at, p.id`,
};
const COUNT_MEMBERS: Statement = {
  name: 'membership_count',
  text: `select count(*)::int as count from membership where account_id = $1`,
};
const ONE_MEMBER: Statement = {
  name: 'membership_one',
  text: `select ${MEMBER} from membership m join person p on p.id = m.person_id
    where m.account_id = $1 and m.person_id = $2`,
};
const INVITE: Statement = {
  name: 'membership_invite',
  text: `insert into membership (account_id, person_id, role, invited_by, invited_by_key, invited_at)
    values ($1, $2, $3, $4, $5, $6)`,
};
const NOTE_INVITER: Statement = {
  name: 'invitation_maker_note',
  text: `insert into invitation_maker (account_id, person_id, maker_id) values ($1, $2, $3)
    on conflict (account_id, person_id, maker_id) do update set confirmed_by = null, confirmed_at = null`,
};
const CONFIRM: Statement = {
  name: 'invitation_maker_confirm',
  text: `update invitation_maker set confirmed_by = $3, confirmed_at = $4
    where account_id = $1 and person_id = $2 and confirmed_at is null returning maker_id`,
};
const OPEN_INVITERS: Statement = {
  name: 'invitation_maker_open',
  text: `select maker_id as id from invitation_maker
    where account_id = $1 and person_id = $2 and confirmed_at is null order by maker_id`,
};
const SET_ROLE: Statement = {
  name: 'membership_set_role',
  text: `update membership set role = $3 where account_id = $1 and person_id = $2`,
};
const JOIN: Statement = {
  name: 'membership_join',
  text: `update membership set joined_at = coalesce(joined_at, $3) where account_id = $1 and person_id = $2`,
};
const REMOVE: Statement = {
  name: 'membership_remove',
  text: `delete from membership where account_id = $1 and person_id = $2`,
};
const INVITED: Statement = {
  name: 'membership_invited',
  text: `select account_id as "accountId" from membership where person_id = $1 and joined_at is null order by invited_at desc, account_id`,
};
/** Maximum number of accounts that are read for a person. */
export const OWN_ACCOUNTS_MAX = 500;
const OWN_ACCOUNTS: Statement = {
  name: 'membership_of_person',
  text: `select a.id as "accountId", a.name, a.mode, a.is_platform as "isPlatform", m.role
    from membership m join account a on a.id = m.account_id
    where m.person_id = $1 and m.joined_at is not null and ($2::bigint is null or a.id = $2)
    order by a.is_platform, a.id limit ${OWN_ACCOUNTS_MAX}`,
};

/** @returns the person with this e-mail address, in lower case; undefined without one. */
export async function findPerson(tx: Tx, email: string): Promise<Person | undefined> {
  const [person] = await tx.query<Person>(BY_EMAIL, [email]);
  return person;
}

/**
 * Adds a person, unless the e-mail address is in use.
 * @returns the person who already has the address.
 */
export async function addPerson(tx: Tx, { id, name, email }: Person, at: Date): Promise<Person> {
  const [added] = await tx.query<Person>(ADD, [id, name, email, at]);
  // A parallel statement added the same person after this one had begun.
  return added ?? ((await findPerson(tx, email)) as Person);
}

/** @returns the people of an account, in the order in which they were invited. */
export function readMembers(tx: Tx, accountId: bigint): Promise<Member[]> {
  return tx.query<Member>(MEMBERS, [accountId]);
}

/** @returns the number of people of an account, including those who have not accepted yet. */
export async function countMembers(tx: Tx, accountId: bigint): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT_MEMBERS, [accountId]);
  return row?.count ?? 0;
}

/** @returns a person with the role in an account; undefined if there is none. */
export async function readMember(tx: Tx, accountId: bigint, personId: string): Promise<Member | undefined> {
  const [member] = await tx.query<Member>(ONE_MEMBER, [accountId, personId]);
  return member;
}

/** Gives a person a role, which takes effect when the invitation is accepted. */
export async function invite(tx: Tx, membership: NewMembership): Promise<void> {
  const { accountId, personId, role, invitedBy, invitedByKey, at } = membership;
  await tx.query(INVITE, [accountId, personId, role, invitedBy, invitedByKey, at]);
}

/** Stores the sender of an invitation: the key or the person. */
export async function noteInviter(
  tx: Tx,
  accountId: bigint,
  personId: string,
  inviterId: string,
): Promise<void> {
  await tx.query(NOTE_INVITER, [accountId, personId, inviterId]);
}

/** Confirms a person, who then counts as a separate maker. @returns whether the person was not separate before. */
export async function confirmPerson(
  tx: Tx,
  accountId: bigint,
  personId: string,
  { by, at }: { readonly by: string; readonly at: Date },
): Promise<boolean> {
  return (await tx.query(CONFIRM, [accountId, personId, by, at])).length > 0;
}

/** @returns the keys and people who invited a person, until another owner confirms the person. */
export async function readOpenInviters(tx: Tx, accountId: bigint, personId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(OPEN_INVITERS, [accountId, personId]);
  return rows.map(({ id }) => id);
}

/** Accepts the invitation; an accepted one stays unchanged. */
export async function joinAccount(tx: Tx, accountId: bigint, personId: string, at: Date): Promise<void> {
  await tx.query(JOIN, [accountId, personId, at]);
}

/** Changes the role of a member. */
export async function setRole(tx: Tx, accountId: bigint, personId: string, role: Role): Promise<void> {
  await tx.query(SET_ROLE, [accountId, personId, role]);
}

/** Removes the role of a person. */
export async function removeMembership(tx: Tx, accountId: bigint, personId: string): Promise<void> {
  await tx.query(REMOVE, [accountId, personId]);
}

/** @returns the accounts that a person has joined, at most `OWN_ACCOUNTS_MAX`; that of the platform is the last. */
export function readOwnAccounts(tx: Tx, personId: string): Promise<OwnAccount[]> {
  return tx.query<OwnAccount>(OWN_ACCOUNTS, [personId, null]);
}

/** @returns an account that the person has joined. */
export async function findOwnAccount(
  tx: Tx,
  personId: string,
  accountId: bigint,
): Promise<OwnAccount | undefined> {
  return (await tx.query<OwnAccount>(OWN_ACCOUNTS, [personId, accountId]))[0];
}

/** @returns the accounts with an open invitation of the person, newest invitation first. */
export async function readInvitations(tx: Tx, personId: string): Promise<bigint[]> {
  const rows = await tx.query<{ accountId: bigint }>(INVITED, [personId]);
  return rows.map(({ accountId }) => accountId);
}
