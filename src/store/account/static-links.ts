/** Links that open a new checkout session at each visit (C-20). */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Data of a link for a visit. */
export interface StaticLinkRow {
  readonly accountId: bigint;
  readonly slug: string;
  readonly name: string;
  /** Raw ledger code of the crypto. */
  readonly currency: string;
  /** BRL, decimal text; null if the customer enters the amount. */
  readonly amount: string | null;
  readonly externalCode: string | null;
  readonly returnUrl: string | null;
  readonly webhook: string | null;
  /** Lifetime of its sessions, seconds. */
  readonly expiresIn: number;
}

const ADD: Statement = {
  name: 'static_link_add',
  text: `insert into static_link (account_id, slug, name, currency, amount, external_code, return_url, webhook, expires_in, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};
const FIND: Statement = {
  name: 'static_link_find',
  text: `select account_id as "accountId", slug, name, currency, amount, external_code as "externalCode",
      return_url as "returnUrl", webhook, expires_in as "expiresIn"
    from static_link where slug = $1 and disabled_at is null`,
};
/** Open links first, newest first; then the disabled ones, in reverse order of disabling. */
const RECORDS: Statement = {
  name: 'static_link_records',
  text: `select slug, name, currency, amount, external_code as "externalCode", return_url as "returnUrl", webhook,
      expires_in as "expiresIn", created_at as "createdAt", disabled_at as "disabledAt"
    from static_link where account_id = $1 and ($2::text is null or slug = $2)
    order by disabled_at desc nulls first, created_at desc, slug desc limit $3`,
};
const STATE: Statement = {
  name: 'static_link_state',
  text: `select name, disabled_at is null as "isOpen" from static_link where slug = $1`,
};
const DISABLE: Statement = {
  name: 'static_link_disable',
  text: `update static_link set disabled_at = coalesce(disabled_at, $3) where account_id = $1 and slug = $2 returning slug`,
};

const COUNT: Statement = {
  name: 'static_link_count',
  text: `select count(*)::int as count from static_link where account_id = $1 and disabled_at is null`,
};

/** @returns the number of open links of the account. */
export async function countStaticLinks(database: Tx, accountId: bigint): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [accountId]);
  return row?.count ?? 0;
}

/** Adds a link. */
export async function addStaticLink(database: Tx, link: StaticLinkRow, createdAt: Date): Promise<void> {
  await database.query(ADD, [
    link.accountId,
    link.slug,
    link.name,
    link.currency,
    link.amount,
    link.externalCode,
    link.returnUrl,
    link.webhook,
    link.expiresIn,
    createdAt,
  ]);
}

/** @returns the link with this slug, of any account; undefined if it is missing or disabled. */
export async function findStaticLink(database: Tx, slug: string): Promise<StaticLinkRow | undefined> {
  const [row] = await database.query<StaticLinkRow>(FIND, [slug]);
  return row;
}

/** A link with all members that its account may read. */
export interface LinkRecord extends Omit<StaticLinkRow, 'accountId'> {
  readonly createdAt: Instant;
  /** Time of disabling; null while it opens sessions. */
  readonly disabledAt: Instant | null;
}

/** @returns the links of the account, the open ones first, or the link with a slug. */
export function readLinkRecords(
  database: Tx,
  accountId: bigint,
  { slug, limit }: { readonly slug: string | null; readonly limit: number },
): Promise<LinkRecord[]> {
  return database.query<LinkRecord>(RECORDS, [accountId, slug, limit]);
}

/** Name of a link, and whether it still opens sessions. */
export interface LinkState {
  readonly name: string;
  readonly isOpen: boolean;
}

/** @returns the state of a link, including a disabled one; undefined if it is missing. */
export async function readLinkState(database: Tx, slug: string): Promise<LinkState | undefined> {
  const [row] = await database.query<LinkState>(STATE, [slug]);
  return row;
}

/** Disables a link; a repetition changes nothing. @returns whether the account has the link. */
export async function disableStaticLink(
  database: Tx,
  accountId: bigint,
  slug: string,
  at: Date,
): Promise<boolean> {
  return (await database.query(DISABLE, [accountId, slug, at])).length > 0;
}
