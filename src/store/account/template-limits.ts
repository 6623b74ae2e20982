/** Limits that an account sets on its own templates, within those of the platform (C-21, C-40). */
import type { Statement, Tx } from '../connection/database.ts';
import type { TemplateSettings } from '../engine/pricing.ts';

/** The settings of a template that an account can tighten. */
export const TEMPLATE_LIMITS = [
  'amountMin',
  'amountMax',
  'customerStepUp30d',
  'customerLimitDaily',
] as const satisfies readonly (keyof TemplateSettings)[];
/** BRL as decimal text; null if the limit of the platform applies. */
export type TemplateLimits = Readonly<Record<(typeof TEMPLATE_LIMITS)[number], string | null>>;

const READ: Statement = {
  name: 'template_limits',
  text: `select amount_min as "amountMin", amount_max as "amountMax", customer_step_up_30d as "customerStepUp30d",
      customer_limit_daily as "customerLimitDaily" from template_limit where account_id = $1 and template = $2`,
};
const SET: Statement = {
  name: 'template_limits_set',
  text: `insert into template_limit (account_id, template, amount_min, amount_max, customer_step_up_30d, customer_limit_daily)
      values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id, template) do update set amount_min = excluded.amount_min, amount_max = excluded.amount_max,
      customer_step_up_30d = excluded.customer_step_up_30d, customer_limit_daily = excluded.customer_limit_daily`,
};
const NONE: TemplateLimits = {
  amountMin: null,
  amountMax: null,
  customerStepUp30d: null,
  customerLimitDaily: null,
};

/** @returns the account's own limits of a template. */
export async function readTemplateLimits(
  tx: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateLimits> {
  const [row] = await tx.query<TemplateLimits>(READ, [accountId, template]);
  return row ?? NONE;
}

/** Sets the account's own limits of a template. */
export async function setTemplateLimits(
  tx: Tx,
  accountId: bigint,
  template: string,
  limits: TemplateLimits,
): Promise<void> {
  await tx.query(SET, [accountId, template, ...TEMPLATE_LIMITS.map((name) => limits[name])]);
}
