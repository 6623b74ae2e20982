/** The page after a payment: past and next steps, the receipt, a new attempt, the link back. */
import { BRL, networkTitle } from '../base/money/currency.ts';
import { stageOf } from '../templates/messages/find.ts';
import { FINISHED } from '../templates/status.ts';
import { showAmount, showAsset } from '../ui/figures.ts';
import { attributes, type Html, type HtmlValue, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { idPair, keyValues, note, type Pair, pair, type StepOf, steps } from '../ui/parts.ts';
import { showTime } from '../ui/times.ts';
import { form, orderOf, type PaymentFacts, pathOf, type SessionPage, VERIFY } from './page.ts';
import { backOf, payerMessageOf } from './payer-message.ts';
import { person, personText } from './summary.ts';

/** @returns the state of the money: a sign, a sentence, the reason, and whether the payer has nothing to do. */
export function moneyStatus(page: SessionPage): Html {
  const { translate, facts, session } = page;
  const { title, why, sign, tone, isQuiet } = payerMessageOf(page);
  const isReturn = sign === 'returned' && facts.source === BRL && page.session.step.ending === 'open';
  return html`<div><span class="sign ${tone}">${icon(sign)}</span>
<h1 tabindex="-1">${title}</h1>${session.canVerify ? verification(page) : why && html`<p class="lead">${why}</p>`}</div>
${isQuiet && note('done', html`<b>${translate('nothingToDo')}</b>${isReturn && html` ${translate('refunding')}`}`)}
${course(page)}`;
}

/** The link to the identity check, on the provider's site. */
function verification(page: SessionPage): Html {
  const { translate } = page;
  return html`<p class="lead">${translate('verifyWhy')}</p>
<p><a class="btn go" rel="nofollow noreferrer" href="${pathOf(page, VERIFY)}">${translate('verify')}</a></p>`;
}

/** Past, current and next steps of refunded money and of a deposit. */
function course(page: SessionPage): Html | null {
  const { step, template } = page.session;
  if (step.isReturn) return returnCourse(page);
  const stage = stageOf(template, step);
  return stage === undefined ? null : depositCourse(page, stage);
}

function returnCourse({ translate, facts, session, language }: SessionPage): Html | null {
  const { source, amountPaid, paidAt } = facts;
  const back = backOf(facts);
  if (!amountPaid || !back) return null;
  const isRefunded = session.step.statusCode === 'REFUNDED';
  const [returned] = facts.returns;
  const list: readonly StepOf[] = [
    {
      what: translate('stepArrived', { amount: showAmount(amountPaid, source, language) }),
      more: paidAt && showTime(paidAt, language, 'second'),
    },
    { what: translate(isRefunded ? 'stepSentBack' : 'stepSendingBack') },
    {
      what: translate(source === BRL ? 'stepBack' : 'stepBackWallet'),
      more: returned?.endedAt && showTime(returned.endedAt, language, 'second'),
    },
  ];
  return steps(list, isRefunded ? 3 : 1);
}

function depositCourse({ translate, facts, language }: SessionPage, stage: number): Html {
  const { source, amountPaid, amountReceived, clientName } = facts;
  const amount = showAsset(amountPaid ?? '0', source, language);
  const received = amountReceived ? showAmount(amountReceived, BRL, language) : translate('theMoney');
  const list = [
    { what: translate('stepSeen', { amount, network: networkTitle(source) }) },
    { what: translate('stepConfirming') },
    { what: translate('stepConverted') },
    { what: translate('stepPaidOut', { amount: received, name: clientName ?? '' }) },
  ];
  return steps(list, stage + 1);
}

/** @returns the receipt of a payment or payout after its end. */
export function receipt(page: SessionPage): Html | null {
  if (!hasReceipt(page)) return null;
  const { translate } = page;
  return html`<section class="stack"><h2 class="unseen">${translate('receipt')}</h2>
<div class="receipt">${receiptParts(page).map((part) => keyValues(part))}</div>
<div class="three no-print"><button type="button" hidden data-share>${icon('share')} ${translate('share')}</button>
<button type="button" hidden data-print>${icon('print')} ${translate('print')}</button>
<a class="btn" href="${pathOf(page, 'receipt')}" download>${icon('save')} ${translate('save')}</a></div></section>`;
}

/**
 * @returns whether a payment or payout was made and has ended; a dispute comes after success and changes nothing here.
 */
export function hasReceipt({ session, facts }: Pick<SessionPage, 'session' | 'facts'>): boolean {
  const { ending, statusCode } = session.step;
  const hasEnded = ending !== 'open' || statusCode === 'SUCCESS';
  const hasMoved = session.isPaidByPayer
    ? Boolean(facts.pixE2e || facts.txHash)
    : statusCode === 'SUCCESS' || statusCode === 'REFUNDED';
  return hasEnded && hasMoved;
}

/** @returns the parts of a receipt: amounts, times and parties, and its numbers. */
export function receiptParts(page: SessionPage): (Pair | null)[][] {
  const { translate, facts, session } = page;
  const { pixE2e, txHash, explorerUrl, refundTxHash, refundExplorerUrl, returns } = facts;
  return [
    session.isPaidByPayer ? whatWasPaid(page) : whatWasSent(page),
    [...timesOf(page), ...payerOf(page)],
    [
      idPair(translate('pixId'), pixE2e),
      idPair(translate('txHash'), linked(txHash, explorerUrl)),
      idPair(translate('refundTxHash'), linked(refundTxHash, refundExplorerUrl)),
      ...returns
        .filter(({ isDone }) => isDone)
        .map(({ returnId }) => idPair(translate('returnId'), returnId)),
      idPair(translate('reference'), session.row.end2end),
    ],
  ];
}

/** @returns a hash, with a link to it if there is an explorer. */
function linked(hash: string | null, url: string | null): HtmlValue {
  return hash && url ? html`<a href="${url}" rel="noreferrer noopener">${hash}</a>` : hash;
}

/** @returns the amounts of a payment, its payee and its subject. */
export function paidAmounts(page: PaymentFacts): (Pair | null)[] {
  const { translate, facts, session, language } = page;
  const { source, target, amountPaid, amountPayment, amountReceived } = facts;
  const amount = (text: string | null, currency = source) => text && showAmount(text, currency, language);
  const isDone = FINISHED.includes(session.step.statusCode);
  const back = facts.source === BRL ? facts.amountReturned : isDone ? null : backOf(facts);
  return [
    pair(
      translate(source === BRL ? 'youPaid' : 'youSent'),
      html`<b>${amount(amountPaid ?? amountPayment)}</b>`,
    ),
    pair(translate(isBackDone(page) ? 'returnedToYou' : 'returning'), amount(back)),
    pair(translate('to'), session.branding.displayName),
    pair(translate('for'), orderOf(page)),
    pair(
      translate(target === BRL ? 'payeeGot' : 'delivered'),
      isDone && (target === BRL || facts.wallet) && amount(amountReceived, target),
    ),
  ];
}

function whatWasPaid(page: SessionPage): (Pair | null)[] {
  const { translate, facts } = page;
  return [
    ...paidAmounts(page),
    pair(translate('payee'), facts.target === BRL && person(page)),
    pair(translate('pixKey'), facts.pixKey),
    idPair(translate('wallet'), facts.wallet),
  ];
}

function isBackDone({ facts, session }: PaymentFacts): boolean {
  return facts.returns.length > 0
    ? facts.returns.every(({ isDone }) => isDone)
    : session.step.ending !== 'open';
}

function whatWasSent(page: SessionPage): (Pair | null)[] {
  const { translate, facts, session, language } = page;
  const { target, amountReceived, wallet } = facts;
  const amount = amountReceived && showAmount(amountReceived, target, language);
  return [
    pair(translate('sent'), amount && html`<b>${amount}</b>`),
    pair(translate('sentBy'), session.branding.displayName),
    pair(translate('to'), person(page)),
    pair(translate('pixKey'), facts.pixKey),
    idPair(translate('wallet'), wallet),
    pair(translate('for'), orderOf(page)),
  ];
}

/** @returns the times of a payment or of a payout. */
export function timesOf(page: PaymentFacts): (Pair | null)[] {
  const { translate, facts, session, language } = page;
  const { source, paidAt, returns } = facts;
  const { row, step, isPaidByPayer } = session;
  const { statusCode } = step;
  const time = (instant: string | null): HtmlValue => instant && showTime(instant, language, 'second');
  const ended = returns.filter(({ endedAt }) => endedAt !== null).at(-1)?.endedAt ?? null;
  return [
    pair(translate('createdAt'), isPaidByPayer ? null : time(row.createdAt)),
    pair(translate(source === BRL ? 'paidAt' : 'arrivedAt'), time(paidAt)),
    pair(
      translate(isPaidByPayer ? 'finishedAt' : 'sentAt'),
      statusCode === 'SUCCESS' && time(row.process?.finishedAt ?? row.updatedAt),
    ),
    pair(translate('returnedAt'), time(ended ?? (statusCode === 'REFUNDED' ? row.updatedAt : null))),
  ];
}

function payerOf(page: SessionPage): (Pair | null)[] {
  const { translate, facts, session } = page;
  if (!session.isPaidByPayer || facts.source !== BRL) return [];
  return [pair(translate('by'), personText(facts.payer)), pair(translate('with'), translate('withPix'))];
}

/** @returns the button for a new attempt, if one makes sense. */
export function renewal(page: SessionPage): Html | null {
  const { translate, session, facts } = page;
  if (!session.isRenewable) return null;
  const button = translate(facts.source === BRL ? 'renew' : 'renewDeposit');
  return form(page, 'renew', button, html`<p>${translate('renewWhat')}</p>`);
}

/** @returns the link back to the merchant: a button after the payment, otherwise a line at the foot. */
export function returnLink({ translate, facts }: SessionPage, isButton: boolean): Html | null {
  if (!facts.returnUrl) return null;
  const { host } = new URL(facts.returnUrl);
  const parameters = {
    class: isButton && 'btn primary big full',
    href: facts.returnUrl,
    rel: 'noreferrer',
    'data-return': isButton,
    'data-going': isButton && translate('redirecting', { host, seconds: '#' }),
    'data-stay': isButton && translate('stay'),
  };
  const text = translate('back', { host });
  return isButton
    ? html`<div class="stack no-print"><a${attributes(parameters)}>${text}</a></div>`
    : html`<a${attributes(parameters)}>${icon('back')} ${text}</a>`;
}
