/** How the hosted pages of an account look. */
import type { Database, Statement, Tx } from './database.ts';

/** The look of an account's pages. */
export interface Branding {
  /** The account's own name where it has chosen no other. */
  readonly displayName: string;
  /** `#rrggbb`, or null for the plain look. */
  readonly accent: string | null;
  readonly hasLogo: boolean;
  /** Where a payer finds help. */
  readonly supportUrl: string | null;
  /** Origins that may show the pages in a frame. */
  readonly frameHosts: readonly string[];
}

/** A picture. */
export interface Logo {
  readonly type: string;
  readonly image: Buffer;
}

/** What can be changed; null takes it away. */
export interface BrandingChange {
  readonly displayName?: string | null;
  readonly accent?: string | null;
  readonly supportUrl?: string | null;
  readonly frameHosts?: readonly string[];
  readonly logo?: Logo | null;
}

const READ: Statement = {
  name: 'branding_read',
  text: `select coalesce(b.display_name, a.name) as "displayName", b.accent, b.logo is not null as "hasLogo",
      b.support_url as "supportUrl", coalesce(b.frame_hosts, '{}') as "frameHosts"
    from account a left join branding b on b.account_id = a.id where a.id = $1`,
};
const LOGO: Statement = {
  name: 'branding_logo',
  text: `select logo as image, logo_type as type from branding where account_id = $1 and logo is not null`,
};

/** @returns the look of an account's pages. */
export async function readBranding(database: Tx, accountId: bigint): Promise<Branding> {
  const [row] = await database.query<Branding>(READ, [accountId]);
  return row as Branding;
}

/** @returns the logo of an account, or undefined. */
export async function readLogo(database: Tx, accountId: bigint): Promise<Logo | undefined> {
  const [row] = await database.query<Logo>(LOGO, [accountId]);
  return row;
}

/** Changes the look; what is not given stays. */
export async function changeBranding(
  database: Database,
  accountId: bigint,
  { logo, frameHosts, ...texts }: BrandingChange,
): Promise<void> {
  const change = {
    ...texts,
    ...(frameHosts && { frameHosts: [...frameHosts] }),
    ...(logo !== undefined && { logo: logo && new Uint8Array(logo.image), logoType: logo?.type ?? null }),
  };
  await database.prisma.branding.upsert({
    where: { accountId },
    create: { accountId, ...change },
    update: change,
  });
}
