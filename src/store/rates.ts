/** Last known mid-market rates. */
import type { Database, Statement } from './database.ts';

const RATES: Statement = { name: 'rates', text: `select asset, mid from rate` };
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

/** Stores rates of assets that none is known of yet. */
export async function seedRates(database: Database, rates: Readonly<Record<string, string>>): Promise<void> {
  await database.query(SEED, [Object.keys(rates), Object.values(rates)]);
}
