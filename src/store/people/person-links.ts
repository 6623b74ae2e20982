/**
 * Links that sign a person in once: an invitation to an account, or a sign-in link made by the operator. Only hashes are
 * stored.
 */
import type { Statement, Tx } from '../connection/database.ts';

/** Purpose of a link. */
export type LinkKind = 'INVITATION' | 'SIGN_IN';

/** A link that was not used and has not expired. */
export interface OpenLink {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly accountId: bigint;
  readonly accountName: string;
  readonly kind: LinkKind;
  /** Whether the person has a role in any account, and can sign in without the link. */
  readonly isKnown: boolean;
}

const OPEN: Statement = {
  name: 'person_link_open',
  text: `select p.id as "personId", p.name, p.email, l.account_id as "accountId", a.name as "accountName", l.kind,
      exists (select from membership j where j.person_id = p.id and j.joined_at is not null) as "isKnown"
    from person_link l join person p on p.id = l.person_id join account a on a.id = l.account_id
      join membership m on m.account_id = l.account_id and m.person_id = l.person_id
    where l.hash = $1 and l.used_at is null and l.expires_at > $2
      and (l.kind = 'SIGN_IN') = (m.joined_at is not null)`,
};
const STORE: Statement = {
  name: 'person_link_store',
  text: `insert into person_link (hash, person_id, account_id, kind, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)`,
};
const USE: Statement = {
  name: 'person_link_use',
  text: `update person_link set used_at = $2 where hash = $1 and used_at is null and expires_at > $2 returning person_id`,
};
const END: Statement = {
  name: 'person_link_end',
  text: `update person_link set used_at = $3 where account_id = $1 and person_id = $2 and used_at is null`,
};

/** @returns the link of this hash; undefined if it was used, has expired, or leads to an account that it no longer opens. */
export async function findOpenLink(tx: Tx, hash: Buffer, now: Date): Promise<OpenLink | undefined> {
  const [link] = await tx.query<OpenLink>(OPEN, [hash, now]);
  return link;
}

/** Stores a link. */
export async function storeLink(
  tx: Tx,
  hash: Buffer,
  link: Pick<OpenLink, 'personId' | 'accountId' | 'kind'> & { readonly at: Date; readonly expiresAt: Date },
): Promise<void> {
  await tx.query(STORE, [hash, link.personId, link.accountId, link.kind, link.at, link.expiresAt]);
}

/**
 * Consumes a link.
 * @returns whether it was still open: only one of several parallel uses gets true.
 */
export async function useLink(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  return (await tx.query(USE, [hash, now])).length > 0;
}

/** Ends the unused links of a person to an account. */
export async function endLinks(tx: Tx, accountId: bigint, personId: string, at: Date): Promise<void> {
  await tx.query(END, [accountId, personId, at]);
}
