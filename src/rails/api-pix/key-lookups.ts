/**
 * Looks up the owner of a PIX key. Providers meter this, and a missing key costs ten to twenty times as much, so that
 * directories are not searched through: each caller has a share, counted in the database for all processes.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { NO_OWNER } from '../../resolvers/services/rails.ts';
import { consumeLookups } from '../../store/rails/pix-statement.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { KeyHolder } from './payouts.ts';

/** A share: time until one look-up is given back, and their maximum. */
interface Share {
  readonly oneSeconds: number;
  readonly most: number;
}

/** 60 an hour, at most 30 at once. */
const PAYER: Share = { oneSeconds: 60, most: 30 };
/** 60 a minute, at most 300 at once. */
const ACCOUNT: Share = { oneSeconds: 1, most: 300 };
/** Additional cost of a missing key. */
const MISS_COST = 19;
const AGAIN_SECONDS = 60;

/** Without a directory, a CPF or CNPJ still belongs to itself. */
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
    // The cost is spent already: this look-up is answered whatever is left.
    await consumeAllowance(tools, row, MISS_COST).catch(() => {});
    return NO_OWNER;
  }
  return holder.taxId === null ? null : seenAs(holder.taxId, clientTaxId);
}

/** Hidden digits match any; a visible one that differs belongs to another person. */
export function seenAs(taxId: string, clientTaxId: string | null): string {
  const isSame =
    clientTaxId !== null &&
    taxId.length === clientTaxId.length &&
    [...taxId].every((digit, index) => digit === '*' || digit === clientTaxId[index]);
  return isSame ? clientTaxId : taxId;
}

/** @throws {GatewayError} `RATE_LIMITED`: the order waits, and this does not count as an attempt. */
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
    if (!(await consumeLookups(database, mode, cost, nowMs)))
      throw new GatewayError('RATE_LIMITED', 'too many PIX keys were looked up', {
        retryAfter: AGAIN_SECONDS,
      });
  }
}
