/** Report of the sources of rates, for the operator. */
import { type Context, requirePlatform } from '../services/context.ts';
import type { RateReport } from '../services/rails.ts';

/**
 * @returns the price of each feed for each asset; empty when rates do not come from feeds.
 * @throws {GatewayError} `FORBIDDEN` without a scope of the platform.
 */
export async function readRateReport(context: Context): Promise<readonly RateReport[]> {
  requirePlatform(context);
  return (await context.rails.rates.report?.()) ?? [];
}
