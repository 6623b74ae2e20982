/** Design of an account's hosted pages. */
import { readShared } from '../../base/concurrency/read-together.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** The design of an account's pages. */
export interface Branding {
  /** The account's own name unless it has chosen another. */
  readonly displayName: string;
  /** `#rrggbb`, or null for the default design. */
  readonly accent: string | null;
  readonly hasLogo: boolean;
  /** SHA-256 of the logo, hex; null without one. */
  readonly logoHash: string | null;
  /** Address at which a payer finds help. */
  readonly supportUrl: string | null;
  /** Origins that may show the pages in a frame. */
  readonly frameHosts: readonly string[];
  /** Whether the payer of a shop sees rate and fees. */
  readonly showsPrice: boolean;
  /** Whether payers may ask for a receipt by e-mail. */
  readonly sendsReceipts: boolean;
}

/** A picture. */
export interface Logo {
  readonly type: string;
  readonly image: Buffer;
}

/** Members that can be changed; null removes a value. */
export interface BrandingChange {
  readonly displayName?: string | null;
  readonly accent?: string | null;
  readonly supportUrl?: string | null;
  readonly frameHosts?: readonly string[];
  readonly showsPrice?: boolean | null;
  readonly sendsReceipts?: boolean | null;
  readonly logo?: Logo | null;
}

const READ: Statement = {
  name: 'branding_read',
  text: `select coalesce(b.display_name, a.name) as "displayName", b.accent, b.logo is not null as "hasLogo", encode(sha256(b.logo), 'hex') as "logoHash",
      b.support_url as "supportUrl", coalesce(b.frame_hosts, '{}') as "frameHosts",
      coalesce(b.shows_price, false) as "showsPrice", coalesce(b.sends_receipts, false) as "sendsReceipts"
    from account a left join branding b on b.account_id = a.id where a.id = $1`,
};
const LOGO: Statement = {
  name: 'branding_logo',
  text: `select logo as image, logo_type as type from branding where account_id = $1 and logo is not null`,
};

/** Missing members are left unchanged: a flag per member says whether it is present. */
const CHANGE: Statement = {
  name: 'branding_change',
  text: `insert into branding as b (account_id, display_name, accent, support_url, frame_hosts, logo, logo_type, shows_price,
        sends_receipts)
      values ($1, $3, $4, $5, coalesce($6::text[], '{}'), $7, $8, coalesce($9::boolean, false),
        coalesce($10::boolean, false))
    on conflict (account_id) do update set
      display_name = case when 'displayName' = any ($2::text[]) then excluded.display_name else b.display_name end,
      accent = case when 'accent' = any ($2) then excluded.accent else b.accent end,
      support_url = case when 'supportUrl' = any ($2) then excluded.support_url else b.support_url end,
      frame_hosts = case when 'frameHosts' = any ($2) then excluded.frame_hosts else b.frame_hosts end,
      logo = case when 'logo' = any ($2) then excluded.logo else b.logo end,
      logo_type = case when 'logo' = any ($2) then excluded.logo_type else b.logo_type end,
      shows_price = case when 'showsPrice' = any ($2) then excluded.shows_price else b.shows_price end,
      sends_receipts = case when 'sendsReceipts' = any ($2) then excluded.sends_receipts else b.sends_receipts end`,
};

/** @returns the design of an account's pages. */
export async function readBranding(database: Tx, accountId: bigint): Promise<Branding> {
  const [row] = await readShared(database, ['branding', accountId], () =>
    database.query<Branding>(READ, [accountId]),
  );
  return row as Branding;
}

/** @returns the logo of an account, or undefined. */
export async function readLogo(database: Tx, accountId: bigint): Promise<Logo | undefined> {
  const [row] = await database.query<Logo>(LOGO, [accountId]);
  return row;
}

/** Changes the design, in one statement; missing members are left unchanged. */
export async function changeBranding(database: Tx, accountId: bigint, change: BrandingChange): Promise<void> {
  const { displayName, accent, supportUrl, frameHosts, logo, showsPrice, sendsReceipts } = change;
  await database.query(CHANGE, [
    accountId,
    Object.keys(change),
    displayName ?? null,
    accent ?? null,
    supportUrl ?? null,
    frameHosts ?? null,
    logo?.image ?? null,
    logo?.type ?? null,
    showsPrice ?? null,
    sendsReceipts ?? null,
  ]);
}
