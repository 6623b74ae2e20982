/** Companies behind accounts, and their owners. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Facts of a company. */
export interface CompanyFacts {
  /** CNPJ without punctuation. */
  readonly taxId: string;
  readonly legalName: string;
  readonly street: string;
  readonly city: string;
  /** Two letters. */
  readonly state: string;
  /** CEP, eight digits. */
  readonly postalCode: string;
}

/** An owner of a company. */
export interface CompanyOwner {
  /** CPF or CNPJ without punctuation. */
  readonly taxId: string;
  readonly name: string;
  /** Percent, decimal text; null if unknown. */
  readonly share: string | null;
}

/** A company, with its owners by tax id. */
export interface Company extends CompanyFacts {
  readonly updatedAt: Instant;
  readonly owners: readonly CompanyOwner[];
}

const READ: Statement = {
  name: 'company_read',
  text: `select tax_id as "taxId", legal_name as "legalName", street, city, state, postal_code as "postalCode", updated_at as "updatedAt"
    from account_company where account_id = $1`,
};
const OWNERS: Statement = {
  name: 'company_owners',
  text: `select tax_id as "taxId", name, share::text from account_owner where account_id = $1 order by tax_id`,
};
const SET: Statement = {
  name: 'company_set',
  text: `insert into account_company (account_id, tax_id, legal_name, street, city, state, postal_code, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (account_id) do update set tax_id = excluded.tax_id, legal_name = excluded.legal_name, street = excluded.street,
      city = excluded.city, state = excluded.state, postal_code = excluded.postal_code, updated_at = excluded.updated_at`,
};
const SET_OWNER: Statement = {
  name: 'company_set_owner',
  text: `insert into account_owner (account_id, tax_id, name, share) values ($1, $2, $3, $4)
    on conflict (account_id, tax_id) do update set name = excluded.name, share = excluded.share`,
};
const REMOVE_OWNER: Statement = {
  name: 'company_remove_owner',
  text: 'delete from account_owner where account_id = $1 and tax_id = $2',
};

/** @returns the company behind an account, if it is known. */
export async function readCompany(tx: Tx, accountId: bigint): Promise<Company | undefined> {
  const [company] = await tx.query<Omit<Company, 'owners'>>(READ, [accountId]);
  return company && { ...company, owners: await tx.query<CompanyOwner>(OWNERS, [accountId]) };
}

/** Stores the facts of a company. */
export async function setCompany(tx: Tx, accountId: bigint, facts: CompanyFacts, at: Date): Promise<void> {
  const { taxId, legalName, street, city, state, postalCode } = facts;
  await tx.query(SET, [accountId, taxId, legalName, street, city, state, postalCode, at]);
}

/** Stores an owner. */
export async function setOwner(tx: Tx, accountId: bigint, owner: CompanyOwner): Promise<void> {
  await tx.query(SET_OWNER, [accountId, owner.taxId, owner.name, owner.share]);
}

/** Removes an owner. */
export async function removeOwner(tx: Tx, accountId: bigint, taxId: string): Promise<void> {
  await tx.query(REMOVE_OWNER, [accountId, taxId]);
}
