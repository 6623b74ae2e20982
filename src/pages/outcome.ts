/** The page after a payment: past and next steps, the receipt, a new attempt, the way back. */
import { BRL, networkTitle } from '../base/money/currency.ts';
import { FINISHED } from '../templates/status.ts';
import { stageOf } from '../templates/tellings/find.ts';
import { showAmount, showAsset } from '../ui/figures.ts';
import { attributes, type Html, type HtmlValue, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { showMoment } from '../ui/moments.ts';
import { idPair, keyValues, note, type Pair, pair, type StepOf, steps } from '../ui/parts.ts';
import { form, orderOf, pathOf, type SessionPage, VERIFY } from './page.ts';
import { person } from './summary.ts';
import { backOf, toldOf } from './told.ts';

/** @returns the state of the money: a sign, a sentence, the reason, and whether the payer has nothing to do. */
export function standing(page: SessionPage): Html {
  const { say, facts, session } = page;
  const { title, why, sign, tone, isQuiet } = toldOf(page);
  const isReturn = sign === 'returned' && facts.source === BRL && page.session.step.ending === 'open';
  return html`<div><span class="sign ${tone}">${icon(sign)}</span>
<h1 tabindex="-1">${title}</h1>${session.canVerify ? verification(page) : why && html`<p class="lead">${why}</p>`}</div>
${isQuiet && note('done', html`<b>${say('nothingToDo')}</b>${isReturn && html` ${say('refunding')}`}`)}
${course(page)}`;
}

/** The way to the identity check, which is on a site of the provider. */
function verification(page: SessionPage): Html {
  const { say } = page;
  return html`<p class="lead">${say('verifyWhy')}</p>
<p><a class="btn go" rel="nofollow noreferrer" href="${pathOf(page, VERIFY)}">${say('verify')}</a></p>`;
}

/** Past, current and next steps, of money that goes back and of a deposit. */
function course(page: SessionPage): Html | null {
  const { step, template } = page.session;
  if (step.isReturn) return returnCourse(page);
  const stage = stageOf(template, step);
  return stage === undefined ? null : depositCourse(page, stage);
}

function returnCourse({ say, facts, session, language }: SessionPage): Html | null {
  const { source, amountPaid, paidAt } = facts;
  const back = backOf(facts);
  if (!amountPaid || !back) return null;
  const isRefunded = session.step.statusCode === 'REFUNDED';
  const [returned] = facts.returns;
  const list: readonly StepOf[] = [
    {
      what: say('stepArrived', { amount: showAmount(amountPaid, source, language) }),
      more: paidAt && showMoment(paidAt, language, 'second'),
    },
    { what: say(isRefunded ? 'stepSentBack' : 'stepSendingBack') },
    {
      what: say('stepBack'),
      more: returned?.endedAt && showMoment(returned.endedAt, language, 'second'),
    },
  ];
  return steps(list, isRefunded ? 3 : 1);
}

function depositCourse({ say, facts, language }: SessionPage, stage: number): Html {
  const { source, amountPaid, amountReceived, clientName } = facts;
  const amount = showAsset(amountPaid ?? '0', source, language);
  const received = amountReceived ? showAmount(amountReceived, BRL, language) : say('theMoney');
  const list = [
    { what: say('stepSeen', { amount, network: networkTitle(source) }) },
    { what: say('stepConfirming') },
    { what: say('stepConverted') },
    { what: say('stepPaidOut', { amount: received, name: clientName ?? '' }) },
  ];
  return steps(list, stage + 1);
}

/** @returns the receipt of what was paid or sent, once it has come to an end. */
export function receipt(page: SessionPage): Html | null {
  if (!hasReceipt(page)) return null;
  const { say } = page;
  return html`<section class="stack"><h2 class="unseen">${say('receipt')}</h2>
<div class="receipt">${receiptParts(page).map((part) => keyValues(part))}</div>
<div class="three no-print"><button type="button" hidden data-share>${icon('share')} ${say('share')}</button>
<button type="button" hidden data-print>${icon('print')} ${say('print')}</button>
<a class="btn" href="${pathOf(page, 'receipt')}" download>${icon('save')} ${say('save')}</a></div></section>`;
}

/** @returns whether something was paid or sent, and that has ended; a dispute comes after success and takes nothing away. */
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
  const { say, facts, session } = page;
  const { pixE2e, txHash, explorerUrl, refundTxHash, refundExplorerUrl, returns } = facts;
  return [
    session.isPaidByPayer ? whatWasPaid(page) : whatWasSent(page),
    timesOf(page),
    [
      idPair(say('pixId'), pixE2e),
      idPair(say('txHash'), linked(txHash, explorerUrl)),
      idPair(say('refundTxHash'), linked(refundTxHash, refundExplorerUrl)),
      ...returns.filter(({ isDone }) => isDone).map(({ returnId }) => idPair(say('returnId'), returnId)),
      idPair(say('reference'), session.row.end2end),
    ],
  ];
}

/** @returns a hash, with a link to it where there is an explorer. */
function linked(hash: string | null, url: string | null): HtmlValue {
  return hash && url ? html`<a href="${url}" rel="noreferrer noopener">${hash}</a>` : hash;
}

function whatWasPaid(page: SessionPage): (Pair | null)[] {
  const { say, facts, session, language } = page;
  const { source, target, amountPaid, amountPayment, amountReceived } = facts;
  const amount = (text: string | null, currency = source) => text && showAmount(text, currency, language);
  const isDone = FINISHED.includes(session.step.statusCode);
  const back = facts.source === BRL ? facts.amountReturned : isDone ? null : backOf(facts);
  return [
    pair(say(source === BRL ? 'youPaid' : 'youSent'), html`<b>${amount(amountPaid ?? amountPayment)}</b>`),
    pair(say(isBackDone(page) ? 'returnedToYou' : 'returning'), amount(back)),
    pair(say('to'), session.branding.displayName),
    pair(say('for'), orderOf(page)),
    pair(
      say(target === BRL ? 'payeeGot' : 'delivered'),
      isDone && (target === BRL || facts.wallet) && amount(amountReceived, target),
    ),
    pair(say('payee'), target === BRL && person(page)),
    pair(say('pixKey'), facts.pixKey),
    idPair(say('wallet'), facts.wallet),
  ];
}

function isBackDone({ facts, session }: SessionPage): boolean {
  return facts.returns.length > 0
    ? facts.returns.every(({ isDone }) => isDone)
    : session.step.ending !== 'open';
}

function whatWasSent(page: SessionPage): (Pair | null)[] {
  const { say, facts, session, language } = page;
  const { target, amountReceived, wallet } = facts;
  const amount = amountReceived && showAmount(amountReceived, target, language);
  return [
    pair(say('sent'), amount && html`<b>${amount}</b>`),
    pair(say('sentBy'), session.branding.displayName),
    pair(say('to'), person(page)),
    pair(say('pixKey'), facts.pixKey),
    idPair(say('wallet'), wallet),
    pair(say('for'), orderOf(page)),
  ];
}

function timesOf(page: SessionPage): (Pair | null)[] {
  const { say, facts, session, language } = page;
  const { source, paidAt, returns } = facts;
  const { row, step, isPaidByPayer } = session;
  const { statusCode } = step;
  const time = (instant: string | null): HtmlValue => instant && showMoment(instant, language, 'second');
  const ended = returns.filter(({ endedAt }) => endedAt !== null).at(-1)?.endedAt ?? null;
  return [
    pair(say('createdAt'), isPaidByPayer ? null : time(row.createdAt)),
    pair(say(source === BRL ? 'paidAt' : 'arrivedAt'), time(paidAt)),
    pair(
      say(isPaidByPayer ? 'finishedAt' : 'sentAt'),
      statusCode === 'SUCCESS' && time(row.process?.finishedAt ?? row.updatedAt),
    ),
    pair(say('returnedAt'), time(ended ?? (statusCode === 'REFUNDED' ? row.updatedAt : null))),
    isPaidByPayer && source === BRL ? pair(say('by'), person(page)) : null,
    isPaidByPayer && source === BRL ? pair(say('with'), 'PIX') : null,
  ];
}

/** @returns the button that begins anew, where that makes sense. */
export function renewal(page: SessionPage): Html | null {
  const { say, session, facts } = page;
  if (!session.isRenewable) return null;
  const button = say(facts.source === BRL ? 'renew' : 'renewDeposit');
  return form(page, 'renew', button, html`<p>${say('renewWhat')}</p>`);
}

/** @returns the link back to the merchant: a button where the payment is done, a line in the foot elsewhere. */
export function wayBack({ say, facts }: SessionPage, isButton: boolean): Html | null {
  if (!facts.returnUrl) return null;
  const { host } = new URL(facts.returnUrl);
  const given = {
    class: isButton && 'btn primary big full',
    href: facts.returnUrl,
    rel: 'noreferrer',
    'data-return': isButton,
    'data-going': isButton && say('redirecting', { host, seconds: '#' }),
    'data-stay': isButton && say('stay'),
  };
  const text = say('back', { host });
  return isButton
    ? html`<div class="stack no-print"><a${attributes(given)}>${text}</a></div>`
    : html`<a${attributes(given)}>${icon('back')} ${text}</a>`;
}
