/** The house's holdings and proposed trades, for the operator. */
import { BRL } from '../../base/money/currency.ts';
import { multiply, roundHalfUp } from '../../base/money/money.ts';
import { readRates } from '../../store/engine/pricing.ts';
import { type Context, requireScope } from '../services/context.ts';
import type { HousePosition } from '../services/rails.ts';

/** A position, with the trade that brings it to its target. */
export interface PositionToBalance extends HousePosition {
  /** Decimal text; null if there is nothing to buy. */
  readonly buy: string | null;
  /** Null if there is nothing to sell. */
  readonly sell: string | null;
  /** BRL that this is worth at the last rate; null where no rate is known. */
  readonly worth: string | null;
}

/**
 * @returns the positions of the inventory; empty when conversions are made elsewhere.
 * @throws {GatewayError} `FORBIDDEN` without `platform:books`.
 */
export async function listPositions(context: Context): Promise<readonly PositionToBalance[]> {
  requireScope(context, 'platform:books');
  const { database, mode, rails } = context;
  const positions = (await rails.liquidity.positions?.()) ?? [];
  if (positions.length === 0) return [];
  const rates = await readRates(database, mode);
  return positions.map((position) => {
    const { missing, currency } = position;
    const isSale = missing.startsWith('-');
    const amount = isSale ? missing.slice(1) : missing;
    const rate = rates.get(currency.asset);
    return {
      ...position,
      buy: isSale || missing === '0' ? null : amount,
      sell: isSale ? amount : null,
      worth: rate === undefined ? null : roundHalfUp(multiply(amount, rate), BRL.decimals),
    };
  });
}
