/**
 * Inputs of prices: the last known mid-market rates, separate for sandbox and live accounts; and the spread, fees and
 * limits of each account and template (C-21, C-22).
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { readShared } from '../../base/concurrency/read-together.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** The last known rate of an asset. */
export interface Rate {
  /** BRL for one unit, decimal text. */
  readonly mid: string;
  readonly observedAt: string;
}

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

/** Settings of an account without its own (C-21, C-22). */
export const TEMPLATE_DEFAULTS: TemplateSettings = {
  spread: '0.01',
  feeRate: '0.01',
  feeFixed: '0',
  amountMin: '1',
  amountMax: '50000',
  customerStepUp30d: '10000',
  customerLimitDaily: '50000',
};

const RATES: Statement = { name: 'rates', text: `select asset, mid from rate where mode = $1` };
const RATE_TABLE: Statement = {
  name: 'rate_table',
  text: `select asset, mid, observed_at as "observedAt" from rate where mode = $1`,
};
const RATE: Statement = {
  name: 'rate',
  text: `select mid, observed_at as "observedAt" from rate where mode = $1 and asset = $2`,
};
const STORE: Statement = {
  name: 'rate_store',
  text: `insert into rate as r (mode, asset, mid, observed_at) values ($1, $2, $3, $4)
    on conflict (mode, asset) do update set mid = excluded.mid, observed_at = excluded.observed_at
      where r.observed_at <= excluded.observed_at`,
};
/** One row per minute is new enough for the books. */
const REFRESH: Statement = {
  name: 'rate_refresh',
  text: `insert into rate as r (mode, asset, mid, observed_at)
      select $1, u.* from unnest($2::text[], $3::numeric[], $4::timestamptz[]) u(asset, mid, observed_at)
    on conflict (mode, asset) do update set mid = excluded.mid, observed_at = excluded.observed_at
      where r.observed_at < excluded.observed_at - interval '1 minute'`,
};
const SEED: Statement = {
  name: 'rate_seed',
  text: `insert into rate (mode, asset, mid, observed_at)
    select $1, asset, mid, now() from unnest($2::text[], $3::numeric[]) r(asset, mid) on conflict do nothing`,
};
const PLATFORM: Statement = {
  name: 'settings_platform',
  text: `select spread, fee_rate as "feeRate", fee_fixed as "feeFixed", amount_min as "amountMin", amount_max as "amountMax",
      customer_step_up_30d as "customerStepUp30d", customer_limit_daily as "customerLimitDaily"
    from template_setting where account_id = $1 and template = $2`,
};
/** The tighter of the two limits applies: the platform's or the account's own. */
const TEMPLATE: Statement = {
  name: 'settings_template',
  text: `select coalesce(s.spread, $3::numeric) as spread, coalesce(s.fee_rate, $4::numeric) as "feeRate",
      coalesce(s.fee_fixed, $5::numeric) as "feeFixed",
      greatest(coalesce(s.amount_min, $6::numeric), l.amount_min) as "amountMin",
      least(coalesce(s.amount_max, $7::numeric), l.amount_max) as "amountMax",
      least(coalesce(s.customer_step_up_30d, $8::numeric), l.customer_step_up_30d) as "customerStepUp30d",
      least(coalesce(s.customer_limit_daily, $9::numeric), l.customer_limit_daily) as "customerLimitDaily"
    from (values ($1::bigint, $2::text)) g(account_id, template)
      left join template_setting s using (account_id, template) left join template_limit l using (account_id, template)`,
};
const SET_TEMPLATE: Statement = {
  name: 'settings_set_template',
  text: `insert into template_setting (account_id, template, spread, fee_rate, fee_fixed, amount_min, amount_max,
        customer_step_up_30d, customer_limit_daily) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (account_id, template) do update set spread = excluded.spread, fee_rate = excluded.fee_rate,
      fee_fixed = excluded.fee_fixed, amount_min = excluded.amount_min, amount_max = excluded.amount_max,
      customer_step_up_30d = excluded.customer_step_up_30d, customer_limit_daily = excluded.customer_limit_daily`,
};

/** @returns BRL for one unit of each asset with a known rate, as decimal text; `1` for BRL. */
export async function readRates(database: Database, mode: AccountMode): Promise<Map<string, string>> {
  const rows = await database.query<{ asset: string; mid: string }>(RATES, [mode]);
  return new Map([...rows.map((row) => [row.asset, row.mid] as const), ['BRL', '1']]);
}

/** @returns the last known rate of each asset that has one, with its time; BRL has none. */
export async function readRateTable(database: Database, mode: AccountMode): Promise<Map<string, Rate>> {
  const rows = await database.query<Rate & { asset: string }>(RATE_TABLE, [mode]);
  return new Map(rows.map(({ asset, mid, observedAt }) => [asset, { mid, observedAt }]));
}

/** @returns the last known rate of an asset, or undefined. */
export async function readRate(
  database: Database,
  mode: AccountMode,
  asset: string,
): Promise<Rate | undefined> {
  const [row] = await readShared(database, ['rate', mode, asset], () =>
    database.query<Rate>(RATE, [mode, asset]),
  );
  return row;
}

/** Stores a rate, unless a newer one is known. */
export async function storeRate(
  database: Database,
  mode: AccountMode,
  asset: string,
  rate: { readonly mid: string; readonly observedAtMs: number },
): Promise<void> {
  await database.query(STORE, [mode, asset, rate.mid, new Date(rate.observedAtMs).toISOString()]);
}

/** Stores rates of assets whose known rate is missing, or more than a minute older. */
export async function refreshRates(
  database: Database,
  mode: AccountMode,
  rates: readonly { readonly asset: string; readonly mid: string; readonly observedAtMs: number }[],
): Promise<void> {
  const times = rates.map(({ observedAtMs }) => new Date(observedAtMs).toISOString());
  await database.query(REFRESH, [mode, rates.map(({ asset }) => asset), rates.map(({ mid }) => mid), times]);
}

/** Stores rates of assets that have none yet. */
export async function seedRates(
  database: Database,
  mode: AccountMode,
  rates: Readonly<Record<string, string>>,
): Promise<void> {
  await database.query(SEED, [mode, Object.keys(rates), Object.values(rates)]);
}

/** @returns price and limits of a template for an account, including limits that the account has tightened. */
export async function readTemplateSettings(
  database: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateSettings> {
  const { spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily } =
    TEMPLATE_DEFAULTS;
  const defaults = [spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily];
  const [row] = await readShared(database, ['template settings', accountId, template], () =>
    database.query<TemplateSettings>(TEMPLATE, [accountId, template, ...defaults]),
  );
  return row ?? TEMPLATE_DEFAULTS;
}

/** @returns price and limits of a template for an account, as the platform set them. */
export async function readPlatformSettings(
  database: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateSettings> {
  const [row] = await database.query<TemplateSettings>(PLATFORM, [accountId, template]);
  return row ?? TEMPLATE_DEFAULTS;
}

/** Sets price and limits of a template. */
export async function setTemplateSettings(
  tx: Tx,
  accountId: bigint,
  template: string,
  settings: TemplateSettings,
): Promise<void> {
  const { spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily } = settings;
  await tx.query(SET_TEMPLATE, [
    accountId,
    template,
    spread,
    feeRate,
    feeFixed,
    amountMin,
    amountMax,
    customerStepUp30d,
    customerLimitDaily,
  ]);
}
