/** Identities of people at a sign-in provider (OpenID Connect). */
import type { Statement, Tx } from '../connection/database.ts';
import type { Person } from './people.ts';

/** Identity of a person at a provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

const FIND: Statement = {
  name: 'person_identity_find',
  text: `select p.id, p.name, p.email from person_identity i join person p on p.id = i.person_id
    where i.issuer = $1 and i.subject = $2`,
};
const ADD: Statement = {
  name: 'person_identity_add',
  text: `insert into person_identity (issuer, subject, person_id, created_at)
    select $1, $2, $3, $4 where not exists (select from person_identity where issuer = $1 and person_id = $3)
    on conflict (issuer, subject) do nothing returning subject`,
};

const OWN: Statement = {
  name: 'person_identity_own',
  text: 'select issuer, subject from person_identity where person_id = $1 order by issuer',
};

/** @returns the identities of a person at providers. */
export function readIdentities(tx: Tx, personId: string): Promise<Identity[]> {
  return tx.query<Identity>(OWN, [personId]);
}

/** @returns the person whom the provider knows by this subject. */
export async function findByIdentity(tx: Tx, { issuer, subject }: Identity): Promise<Person | undefined> {
  const [person] = await tx.query<Person>(FIND, [issuer, subject]);
  return person;
}

/**
 * Stores a person's subject at a provider. @returns whether it is new: the subject of a person at a provider never
 * changes.
 */
export async function addIdentity(
  tx: Tx,
  { issuer, subject }: Identity,
  personId: string,
  at: Date,
): Promise<boolean> {
  return (await tx.query(ADD, [issuer, subject, personId, at])).length > 0;
}
