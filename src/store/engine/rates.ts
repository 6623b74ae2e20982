/** Last known mid-market rates. Sandbox accounts and live accounts have rates of their own. */
import type { AccountMode } from '../../base/account-mode.ts';
import { readShared } from '../../base/read-together.ts';
import type { Database, Statement } from '../database.ts';

/** The last known rate of an asset. */
export interface Rate {
  /** BRL for one unit, decimal text. */
  readonly mid: string;
  readonly observedAt: string;
}

const RATES: Statement = { name: 'rates', text: `select asset, mid from rate where mode = $1` };
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
/** A row a minute is as new as the books need. */
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

/** @returns BRL for one unit of each asset with a known rate, as decimal text; `1` for BRL. */
export async function readRates(database: Database, mode: AccountMode): Promise<Map<string, string>> {
  const rows = await database.query<{ asset: string; mid: string }>(RATES, [mode]);
  return new Map([...rows.map((row) => [row.asset, row.mid] as const), ['BRL', '1']]);
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

/** Stores rates of assets of which none is known, or one that is more than a minute older. */
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
