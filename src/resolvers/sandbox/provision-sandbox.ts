/** Makes the account and the rates of a new sandbox. */
import type { Asset } from '../../base/money/currency.ts';
import { createAccount, findAccount, SANDBOX_HANDLE } from '../../store/account/accounts.ts';
import type { Database } from '../../store/connection/database.ts';
import { seedRates } from '../../store/engine/pricing.ts';
import type { Registry } from '../../templates/registry.ts';

/** Mid-market rates of a sandbox, BRL for one unit of each asset of the catalogue, and of each coin that networks charge in. */
export const SANDBOX_RATES: Readonly<Record<string, string>> = {
  USDT: '5.3218',
  USDC: '5.3210',
  TRX: '1.6540',
  ETH: '17250.40',
  BTC: '512300.00',
  POL: '1.2140',
  BNB: '5230.00',
  SOL: '812.50',
} satisfies Readonly<Record<Exclude<Asset, 'BRL'>, string>>;

/** @returns the id of the sandbox account, which is created if absent. */
export async function provisionSandbox(database: Database, registry: Registry): Promise<bigint> {
  await seedRates(database, 'sandbox', SANDBOX_RATES);
  const existing = await findAccount(database, SANDBOX_HANDLE);
  if (existing !== undefined) return existing;
  const templates = registry.templates.map((template) => template.name);
  return createAccount(database, 'Sandbox', { templates, handle: SANDBOX_HANDLE });
}
