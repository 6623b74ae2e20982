/**
 * The e-mail with the receipt of a payment: amounts, fees if the page shows them, times and ids. The e-mail names no
 * person.
 */
import { known } from '../base/errors/assert.ts';
import { BRL } from '../base/money/currency.ts';
import { payerFacts } from '../resolvers/payer/payer-facts.ts';
import { readSession } from '../resolvers/payer/payment-session.ts';
import type { Services } from '../resolvers/services/context.ts';
import { readProcesses } from '../store/engine/processes.ts';
import type { ClaimedReceipt } from '../store/people/receipt-mails.ts';
import { plainText } from '../ui/html.ts';
import { type Pair, pair } from '../ui/parts.ts';
import { paidAmounts, timesOf } from './outcome.ts';
import { type PaymentFacts, showsPrice } from './page.ts';
import { received, terms } from './summary.ts';
import { translatorIn } from './words.ts';

/** Subject and text of an e-mail. */
export interface ReceiptLetter {
  readonly subject: string;
  readonly text: string;
  /** Value that is the same for each attempt, without the host. */
  readonly id: string;
}

/** @returns the e-mail for a receipt, in the language of its payer. */
export async function receiptLetter(
  services: Services,
  { accountId, transactionId, language }: ClaimedReceipt,
): Promise<ReceiptLetter> {
  const own = await services.forAccount(accountId);
  const [found] = await readProcesses(own.database, [{ accountId, transactionId }]);
  const row = known(found, 'a transaction');
  const translate = translatorIn(language);
  const session = await readSession(own, row);
  const payment = { translate, language, session, facts: payerFacts(own, row) };
  const { displayName } = session.branding;
  const isTest = own.mode === 'sandbox';
  const parts = [
    displayName,
    ...(isTest ? [`${translate('testMode')} ${translate('testWhat')}`] : []),
    linesOf([...paidAmounts(payment), ...priceOf(payment)]),
    linesOf(timesOf(payment)),
    linesOf(idsOf(payment)),
    translate('emailReason'),
  ];
  return {
    subject: `${isTest ? '[Sandbox] ' : ''}${translate('receipt')}: ${displayName}`,
    text: `${parts.join('\n\n')}\n`,
    id: `receipt.${accountId}.${row.end2end}`,
  };
}

/** Rate and fees, if the page shows them; also the amount received, if it is not among the delivered amounts. */
function priceOf(payment: PaymentFacts): (Pair | null)[] {
  if (!showsPrice(payment)) return [];
  const { target, wallet } = payment.facts;
  return target === BRL || wallet ? terms(payment) : received(payment);
}

function idsOf({ translate, facts, session }: PaymentFacts): (Pair | null)[] {
  return [
    pair(translate('pixId'), facts.pixE2e),
    pair(translate('txHash'), facts.txHash),
    pair(translate('reference'), session.row.end2end),
  ];
}

function linesOf(pairs: readonly (Pair | null)[]): string {
  return pairs
    .filter((each) => each !== null)
    .map(({ name, value }) => `${plainText(name)}: ${plainText(value)}`)
    .join('\n');
}
