/** Receipts that a payer asks for on their page: offered where the account and the gateway send them, and something was or can be paid. */
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { EMAIL_MESSAGE, parseEmail } from '../../base/input/email-address.ts';
import type { Label } from '../../base/text/label.ts';
import { findPerson, readMember } from '../../store/people/people.ts';
import {
  CHANGES_MAX,
  type ReceiptProgress,
  readReceipt,
  storeReceipt,
} from '../../store/people/receipt-mails.ts';
import { FINISHED } from '../../templates/status.ts';
import type { Services } from '../services/context.ts';
import type { PaymentSession } from './payment-session.ts';

/** Offer of a receipt by e-mail. */
export interface ReceiptOffer {
  /** `none`: nobody gave an address yet. */
  readonly state: ReceiptProgress['state'] | 'none';
  /** Whether an address can be given now. */
  readonly isOpen: boolean;
}

/** @returns the offer to the payer of a session; null where there is none. */
export async function readReceiptOffer(
  { database, sendsMail }: Pick<Services, 'database' | 'sendsMail'>,
  session: PaymentSession,
): Promise<ReceiptOffer | null> {
  if (!sendsMail || !session.branding.sendsReceipts || !hasSomethingToReceipt(session)) return null;
  const { accountId, id: transactionId } = session.row;
  const found = await readReceipt(database, { accountId, transactionId });
  if (!found) return { state: 'none', isOpen: true };
  const { state, changes } = found;
  return { state, isOpen: (state === 'waiting' || state === 'failed') && changes < CHANGES_MAX };
}

/** Whether the payment is awaited, under way or has succeeded. */
function hasSomethingToReceipt({ isPaidByPayer, ask: prompt, step, canVerify }: PaymentSession): boolean {
  if (!isPaidByPayer || canVerify) return false;
  if (prompt !== null) return prompt === 'payment' || prompt === 'deposit';
  return FINISHED.includes(step.statusCode) || (step.ending === 'open' && !step.isReturn);
}

/**
 * Stores the address for the receipt of a session. In the sandbox, where payments cost nothing, only people of the account get receipts.
 *
 * @throws {GatewayError} `NOT_FOUND` where no receipts are sent; `INVALID_PARAMETER`; `STEP_CONFLICT` where it can no longer be requested.
 */
export async function requestReceipt(
  services: Services,
  session: PaymentSession,
  email: Named,
  language: keyof Label,
): Promise<void> {
  const { database, sendsMail, mode } = services;
  if (!sendsMail || !session.branding.sendsReceipts) throw notFound();
  const address = parseEmail(email.value);
  if (!address) throw invalidParameters([{ parameter: email.name, message: EMAIL_MESSAGE }]);
  const { accountId, id: transactionId } = session.row;
  if (mode === 'sandbox' && !(await isOfMember(services, accountId, address)))
    throw invalidParameters([
      { parameter: email.name, message: 'must be of a member of the account in the sandbox' },
    ]);
  const request = { accountId, transactionId, email: address, language };
  if (!hasSomethingToReceipt(session) || !(await storeReceipt(database, request)))
    throw new GatewayError('STEP_CONFLICT', 'the receipt can no longer be requested');
}

async function isOfMember(
  { database }: Pick<Services, 'database'>,
  accountId: bigint,
  email: string,
): Promise<boolean> {
  const person = await findPerson(database, email);
  const member = person && (await readMember(database, accountId, person.id));
  return Boolean(member?.joinedAt);
}
