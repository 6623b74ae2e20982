/** Leads a payer to the identity check of the provider: a link of the customer's case, fetched when the payer opens it. */
import { GatewayError } from '../../base/errors/errors.ts';
import { type CustomerCase, readCasesOf } from '../../store/account/customer-cases.ts';
import { accepts } from '../../templates/accepts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';

/** @returns whether the transaction waits for a check that the customer can pass at the provider now. */
export async function canVerify(services: Services, row: ProcessRow): Promise<boolean> {
  return (await caseToVerify(services, row)) !== undefined;
}

/**
 * @returns the address of the payer's identity check; null without one. The link is for one person, and never logged.
 * @throws {GatewayError} `UNAVAILABLE` while the provider is unreachable.
 */
export async function verificationLink(services: Services, row: ProcessRow): Promise<string | null> {
  const found = await caseToVerify(services, row);
  if (!found) return null;
  try {
    return (await services.rails.identity.cases?.link?.(found)) ?? null;
  } catch {
    throw new GatewayError('UNAVAILABLE', 'the identity check is unreachable now', { retryAfter: 5 });
  }
}

async function caseToVerify(
  { database, rails, registry }: Services,
  row: ProcessRow,
): Promise<CustomerCase | undefined> {
  const { accountId, clientTaxId } = row;
  const isWaiting = accepts(registry.of(row.template), row, 'step_up_denied');
  if (!isWaiting || clientTaxId === null || !rails.identity.cases?.link) return undefined;
  const cases = await readCasesOf(database, accountId, clientTaxId);
  return cases.find((each) => each.provider !== null && ['pending', 'retry'].includes(each.state));
}
