/** What is known of a payment, and what follows its end: the summary, the receipt, a new beginning, the way back. */
import { BRL } from '../base/currency.ts';
import { trimDecimal } from '../base/money.ts';
import { showAmount, showExact, showMoment, showRate } from '../ui/figures.ts';
import { type Html, html } from '../ui/html.ts';
import { form, row, type SessionPage } from './page.ts';

/** @returns what is paid, what is received for it, and the price. */
export function summary(page: SessionPage): Html {
  const { say, facts, language, session } = page;
  const { source, target } = facts;
  const crypto = source === BRL ? target : source;
  const amount = (text: string | null, currency = BRL) => text && showAmount(text, currency, language);
  return html`<dl>
${row(say(source === BRL ? 'youPay' : 'youSend'), exactDeposit(page) ?? amount(facts.amountPayment, source))}
${row(say(target === BRL ? 'payeeGets' : 'credited'), amount(facts.amountReceived, target) ?? target.displayName)}
${row(say('rate'), facts.quote && showRate(trimDecimal(facts.quote), crypto, language))}
${row(say('quoteBefore'), priceBefore(page))}
${row(say('fees'), amount(facts.fees))}
${row(say('networkFee'), amount(facts.networkFee, target))}
${row(say('wallet'), facts.wallet && html`<code>${facts.wallet}</code>`)}
${row(say(target === BRL ? 'payee' : 'customer'), names(facts.clientName, facts.clientTaxId))}
${row(say('pixKey'), facts.pixKey)}
${row(say('reference'), html`<code>${session.row.end2end}</code>`)}
</dl>`;
}

/** What was to be deposited, digit for digit; after a requote another amount counts. */
function exactDeposit({ facts, session, language }: SessionPage): string | null {
  const exact = session.row.process?.isRequoted ? null : facts.exactDepositAmount;
  return exact && showExact(exact, facts.source, language);
}

/** What the session that this one follows would have come to. */
function priceBefore({ session, facts, language }: SessionPage): string | null {
  const before = session.row.process?.renews?.targetAmount;
  return before == null || before === facts.amountReceived
    ? null
    : showAmount(before, facts.target, language);
}

/** @returns what was paid, by which payment and transfer, once it has come to an end. */
export function receipt(page: SessionPage): Html | null {
  const { say, facts, language, session } = page;
  const { amountPaid, excess, pixE2e, txHash, explorerUrl, source } = facts;
  const { ending, status } = session.step;
  // A dispute comes after success, and does not take the receipt away.
  const hasEnded = ending !== 'open' || status.en === 'Success';
  if (!hasEnded || (!pixE2e && !txHash)) return null;
  return html`<section class="receipt"><h2>${say('receipt')}</h2><dl>
${row(say('paid'), amountPaid && showAmount(amountPaid, source, language))}
${row(say('excess'), excess && showAmount(excess, BRL, language))}
${row(say('pixId'), pixE2e && html`<code>${pixE2e}</code>`)}
${row(say('txHash'), txHash && (explorerUrl ? html`<a href="${explorerUrl}" rel="noreferrer noopener"><code>${txHash}</code></a>` : html`<code>${txHash}</code>`))}
${row(session.step.substatus[language], showMoment(session.row.updatedAt, language))}
</dl><p class="tools"><button type="button" class="second" hidden data-print>${say('print')}</button></p></section>`;
}

/** @returns the button that begins anew, where that makes sense. */
export function renewal(page: SessionPage): Html | null {
  const { say, session, facts } = page;
  if (!session.isRenewable) return null;
  const button = say(facts.source === BRL ? 'renew' : 'renewDeposit');
  return form(page, 'renew', button, html`<p>${say('renewWhat')}</p>`);
}

/** @returns the link back to the merchant. */
export function wayBack({ say, facts }: SessionPage): Html | null {
  if (!facts.returnUrl) return null;
  const host = new URL(facts.returnUrl).host;
  return html`<p class="back"><a class="button second" href="${facts.returnUrl}" rel="noreferrer" data-return data-going="${say('redirecting', { host, seconds: '#' })}" data-stay="${say('stay')}">${say('back', { host })}</a></p>`;
}

function names(name: string | null, taxId: string | null): string | null {
  return name === null && taxId === null ? null : [name, taxId].filter(Boolean).join(', ');
}
