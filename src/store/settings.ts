/** Settings of an account: price and limits of each template, and rules of the whole account (C-21, C-22). */
import type { Database, Statement, Tx } from './database.ts';

/** Price and limits of a template; fractions and BRL as decimal text. */
export interface TemplateSettings {
  readonly spread: string;
  readonly feeRate: string;
  readonly feeFixed: string;
  readonly amountMin: string;
  readonly amountMax: string;
  readonly customerStepUp30d: string;
  readonly customerLimitDaily: string;
}

/** Rules of an account. */
export interface AccountSettings {
  readonly whitelistCoolingSeconds: number;
  /** BRL above which a withdrawal needs a second approver; null for never. */
  readonly approvalAbove: string | null;
}

const TEMPLATE: Statement = {
  name: 'settings_template',
  text: `select spread, fee_rate as "feeRate", fee_fixed as "feeFixed", amount_min as "amountMin", amount_max as "amountMax",
      customer_step_up_30d as "customerStepUp30d", customer_limit_daily as "customerLimitDaily"
    from template_setting where account_id = $1 and template = $2`,
};
const ACCOUNT: Statement = {
  name: 'settings_account',
  text: `select whitelist_cooling_seconds as "whitelistCoolingSeconds", approval_above as "approvalAbove"
    from account_setting where account_id = $1`,
};
/** What an account without settings of its own has (C-21, C-22). */
const TEMPLATE_DEFAULTS: TemplateSettings = {
  spread: '0.01',
  feeRate: '0.01',
  feeFixed: '0',
  amountMin: '1',
  amountMax: '50000',
  customerStepUp30d: '10000',
  customerLimitDaily: '50000',
};
const ACCOUNT_DEFAULTS: AccountSettings = { whitelistCoolingSeconds: 86_400, approvalAbove: null };

/** @returns price and limits of a template for an account. */
export async function readTemplateSettings(
  database: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateSettings> {
  const [row] = await database.query<TemplateSettings>(TEMPLATE, [accountId, template]);
  return row ?? TEMPLATE_DEFAULTS;
}

/** @returns the rules of an account; one without rules of its own has no cooling time in a sandbox (C-22). */
export async function readAccountSettings(
  database: Tx,
  accountId: bigint,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<AccountSettings> {
  const [row] = await database.query<AccountSettings>(ACCOUNT, [accountId]);
  return row ?? { ...ACCOUNT_DEFAULTS, ...(isSandbox && { whitelistCoolingSeconds: 0 }) };
}

/** Changes prices and limits of a template; what is not given stays. */
export async function changeTemplateSettings(
  database: Database,
  accountId: bigint,
  template: string,
  change: Partial<TemplateSettings>,
): Promise<void> {
  await database.prisma.templateSetting.upsert({
    where: { accountId_template: { accountId, template } },
    create: { accountId, template, ...change },
    update: change,
  });
}

/** Changes rules of an account; what is not given stays. */
export async function changeAccountSettings(
  database: Database,
  accountId: bigint,
  change: Partial<AccountSettings>,
): Promise<void> {
  await database.prisma.accountSetting.upsert({
    where: { accountId },
    create: { accountId, ...change },
    update: change,
  });
}
