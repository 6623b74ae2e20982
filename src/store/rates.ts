/** Last known mid-market rates. */
import type { Database, Statement } from './database.ts';

/** The last known rate of an asset. */
export interface Rate {
  /** BRL for one unit, decimal text. */
  readonly mid: string;
  readonly observedAt: string;
}

const RATES: Statement = { name: 'rates', text: `select asset, mid from rate` };
const RATE: Statement = {
  name: 'rate',
  text: `select mid, observed_at as "observedAt" from rate where asset = $1`,
};
const STORE: Statement = {
  name: 'rate_store',
  text: `insert into rate as r (asset, mid, observed_at) values ($1, $2, $3)
    on conflict (asset) do update set mid = excluded.mid, observed_at = excluded.observed_at
      where r.observed_at <= excluded.observed_at`,
};
const SEED: Statement = {
  name: 'rate_seed',
  text: `insert into rate (asset, mid, observed_at)
    select asset, mid, now() from unnest($1::text[], $2::numeric[]) r(asset, mid) on conflict do nothing`,
};

/** @returns BRL for one unit of each asset that a rate was ever known of, as decimals; BRL itself is `1`. */
export async function readRates(database: Database): Promise<Map<string, string>> {
  const rows = await database.query<{ asset: string; mid: string }>(RATES, []);
  return new Map([...rows.map((row) => [row.asset, row.mid] as const), ['BRL', '1']]);
}

/** @returns the last known rate of an asset, or undefined. */
export async function readRate(database: Database, asset: string): Promise<Rate | undefined> {
  const [row] = await database.query<Rate>(RATE, [asset]);
  return row;
}

/** Stores a rate, unless a newer one is known. */
export async function storeRate(
  database: Database,
  asset: string,
  rate: { readonly mid: string; readonly observedAtMs: number },
): Promise<void> {
  await database.query(STORE, [asset, rate.mid, new Date(rate.observedAtMs).toISOString()]);
}

/** Stores rates of assets that none is known of yet. */
export async function seedRates(database: Database, rates: Readonly<Record<string, string>>): Promise<void> {
  await database.query(SEED, [Object.keys(rates), Object.values(rates)]);
}
