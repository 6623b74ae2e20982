/**
 * Looks up the owner of a PIX key. Providers limit look-ups, and charge a missing key ten to twenty times as much, to
 * prevent searches through the directory. Each caller therefore has an allowance, counted in the database for all
 * processes.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import { fitsTaxId } from '../../base/pix/tax-id.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { NO_OWNER } from '../../resolvers/services/rails.ts';
import { consumeLookups } from '../../store/rails/pix-statement.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { KeyHolder } from './payouts.ts';

/** An allowance: seconds until one look-up is refilled, and the maximum. */
interface Share {
  readonly oneSeconds: number;
  readonly most: number;
}

/** 60 look-ups an hour, at most 30 together. */
const PAYER: Share = { oneSeconds: 60, most: 30 };
/** 60 look-ups a minute, at most 300 together. */
const ACCOUNT: Share = { oneSeconds: 1, most: 300 };
/** Extra cost of a look-up for a missing key. */
const MISS_COST = 19;
const AGAIN_SECONDS = 60;

/** Finds the owner of a key. Without a directory, only a CPF or CNPJ has a known owner: itself. */
export async function keyOwner(
  tools: Pick<RailTools, 'mode' | 'database'>,
  lookup: ((key: string) => Promise<KeyHolder>) | undefined,
  row: ProcessRow,
): Promise<string | null> {
  const { pixKey, pixKeyType, clientTaxId } = row;
  if (pixKey === null || pixKeyType === 'cpf' || pixKeyType === 'cnpj') return pixKey;
  if (!lookup) return null;
  await consumeAllowance(tools, row, 1);
  const holder = await lookup(pixKey);
  if (holder === 'nobody') {
    // The provider has charged the cost already, so this look-up is answered even if the allowance is exceeded.
    await consumeAllowance(tools, row, MISS_COST).catch(() => {});
    return NO_OWNER;
  }
  return holder.taxId === null ? null : seenAs(holder.taxId, clientTaxId);
}

/** Hidden digits match any digit; a visible digit that differs means another person. */
export function seenAs(taxId: string, clientTaxId: string | null): string {
  return clientTaxId !== null && fitsTaxId(taxId, clientTaxId) ? clientTaxId : taxId;
}

/** @throws {GatewayError} `RATE_LIMITED`; the order waits, without counting an attempt. */
async function consumeAllowance(
  { mode, database }: Pick<RailTools, 'mode' | 'database'>,
  { accountId, clientTaxId }: ProcessRow,
  count: number,
): Promise<void> {
  const shares: readonly (readonly [string, Share])[] = [
    ...(clientTaxId === null ? [] : [[`payer:${clientTaxId}`, PAYER] as const]),
    [`account:${accountId}`, ACCOUNT],
  ];
  const nowMs = database.nowMs();
  for (const [subject, { oneSeconds, most }] of shares) {
    const cost = { subject, costSeconds: oneSeconds * count, maxSeconds: oneSeconds * most };
    if (await consumeLookups(database, mode, cost, nowMs)) continue;
    noteLimit('pix_keys');
    throw new GatewayError('RATE_LIMITED', 'too many PIX keys were looked up', {
      retryAfter: AGAIN_SECONDS,
    });
  }
}
