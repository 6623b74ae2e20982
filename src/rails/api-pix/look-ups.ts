/**
 * Looks up whose a PIX key is. Providers meter this, and a key that does not exist costs ten to twenty times as much, so that
 * directories are not searched through: nobody gets more than his share here, counted in the database for all processes.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { NO_OWNER } from '../../resolvers/services/rails.ts';
import { takeLookUps } from '../../store/rails/pix-statement.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { KeyHolder } from './payouts.ts';

/** A share: how long it takes until one look-up is given back, and how many there are at most. */
interface Share {
  readonly oneSeconds: number;
  readonly most: number;
}

/** 60 an hour, at most 30 at once. */
const PAYER: Share = { oneSeconds: 60, most: 30 };
/** 60 a minute, at most 300 at once. */
const ACCOUNT: Share = { oneSeconds: 1, most: 300 };
/** What a key that does not exist costs more. */
const MISS_COST = 19;
const AGAIN_SECONDS = 60;

/** Where nothing is looked up, a CPF or CNPJ still belongs to itself. */
export async function keyOwner(
  tools: Pick<RailTools, 'mode' | 'database'>,
  lookUp: ((key: string) => Promise<KeyHolder>) | undefined,
  row: ProcessRow,
): Promise<string | null> {
  const { pixKey, pixKeyType, clientTaxId } = row;
  if (pixKey === null || pixKeyType === 'cpf' || pixKeyType === 'cnpj') return pixKey;
  if (!lookUp) return null;
  await take(tools, row, 1);
  const holder = await lookUp(pixKey);
  if (holder === 'nobody') {
    // It is spent already: whatever is left, this look-up is answered.
    await take(tools, row, MISS_COST).catch(() => {});
    return NO_OWNER;
  }
  return holder.taxId === null ? null : seenAs(holder.taxId, clientTaxId);
}

/** Digits that are hidden are right; one that is shown and differs is of somebody else. */
export function seenAs(taxId: string, clientTaxId: string | null): string {
  const isSame =
    clientTaxId !== null &&
    taxId.length === clientTaxId.length &&
    [...taxId].every((digit, index) => digit === '*' || digit === clientTaxId[index]);
  return isSame ? clientTaxId : taxId;
}

/** @throws {GatewayError} `RATE_LIMITED`: it waits, and does not count as a try. */
async function take(
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
    if (!(await takeLookUps(database, mode, cost, nowMs)))
      throw new GatewayError('RATE_LIMITED', 'too many PIX keys were looked up', {
        retryAfter: AGAIN_SECONDS,
      });
  }
}
