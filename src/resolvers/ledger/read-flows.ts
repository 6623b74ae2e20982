/** Reads an account's money in and out of the last hours. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { fromMinor } from '../../base/money/money.ts';
import { readFlows } from '../../store/ledger/flows.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Incoming and outgoing sums in one currency; decimal text. */
export interface Flow {
  /** Raw ledger code. */
  readonly currency: string;
  readonly in: string;
  readonly out: string;
}

/** 31 days. */
export const FLOW_HOURS_MAX = 744;
const HOUR_MS = 3_600_000;

/**
 * @param hours - back from now, on the clock of the account.
 * @returns null where the account has too many statement lines in that time to add them up.
 * @throws {GatewayError} `INVALID_PARAMETER`.
 */
export async function readAccountFlows(context: Context, hours: number): Promise<readonly Flow[] | null> {
  requireScope(context, 'read');
  if (hours < 1 || hours > FLOW_HOURS_MAX)
    throw invalidParameters([
      { parameter: 'hours', message: `must be an integer from 1 to ${FLOW_HOURS_MAX}` },
    ]);
  const since = new Date((await context.clock.nowMs()) - hours * HOUR_MS);
  const rows = await readFlows(context.database, context.caller.accountId, since);
  if (!rows) return null;
  return rows.map(({ currency, scale, inMinor, outMinor }) => ({
    currency,
    in: fromMinor(inMinor, scale),
    out: fromMinor(outMinor, scale),
  }));
}
