/** Payment instructions: a PIX code, or the address and the exact amount of a deposit. */
import { networkName } from '../base/money/currency.ts';
import { instantOf, millisOf } from '../base/time/instant.ts';
import { showAmount, showDecimal } from '../ui/figures.ts';
import { Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { momentText, showMoment } from '../ui/moments.ts';
import { address, copyValue, how, keyValues, more, note, pair } from '../ui/parts.ts';
import { qrSvg } from '../ui/qr.ts';
import type { SessionPage } from './page.ts';
import { summary } from './summary.ts';

/** @returns instructions to pay by PIX, and from whose account. */
export function paymentAsk(page: SessionPage): Html {
  const { say, facts, session, language } = page;
  const { qrContent, pixCopyPaste, clientName, clientTaxId } = facts;
  const amount = showAmount(facts.amountPayment ?? '0', facts.source, language);
  const receiver = facts.receiverName ?? session.branding.displayName;
  return html`<div class="stack tight">
<button type="button" class="primary big full" hidden data-copy="code"${answers(page)}>${icon('copy')} <span>${say('copyCode')}</span></button>
${copyValue({ id: 'code', name: say('pixCode'), shown: pixCopyPaste, isCut: true })}
<button type="button" class="full" hidden data-share="code">${icon('share')} ${say('shareCode')}</button></div>
${how([say('howCopy'), say('howApp'), say('howCheck', { amount, receiver })])}
${picture(qrContent, say('pixScan'), say('scanPhone'), say('scanApp'))}
${clientName && clientTaxId && note('person', say('pixOwner', { name: clientName, taxId: clientTaxId }))}
${details(page, 'afterTime')}`;
}

/** @returns the address and the exact amount of the deposit. */
export function depositAsk(page: SessionPage): Html {
  const { say, facts, language } = page;
  const { qrContent, depositAddress, exactDepositAmount, depositUri, source } = facts;
  const network = networkName(source);
  const exact = exactDepositAmount ?? '';
  return html`<div class="stack">
<div class="field"><b>${say('depositAmount')}</b>
${copyValue({ id: 'amount', shown: showDecimal(exact, language), text: exact, button: copyButton(page, 'amount') })}</div>
<div class="field"><b>${say('depositAddress', { network })}</b>
${copyValue({ id: 'address', shown: address(depositAddress ?? ''), button: copyButton(page, 'address') })}</div>
${depositUri && html`<a class="btn full" href="${depositUri}">${icon('wallet')} ${say('openWallet')}</a>`}</div>
<div class="stack tight">${note('warning', say('depositNetwork', { asset: source.asset, network }), true)}
${note('info', say('depositExact'))}</div>
${picture(qrContent, say('depositScan'), say('scanPhone'), say('scanWallet'))}
${details(page, 'depositAfterTime')}`;
}

/** @returns the time that is left, under the title: figures where there is script, until when for everybody. */
export function clock(page: SessionPage, title: string): Html {
  const { say, facts, session, language } = page;
  const heading = html`<h1 tabindex="-1">${title}</h1>`;
  if (!facts.expiresAt) return html`<div class="clock first">${heading}</div>`;
  const until = untilText(page);
  const [from, to] = [millisOf(session.row.createdAt), millisOf(facts.expiresAt)];
  return html`<div class="clock first">${heading}
<p>${icon('clock')} <span hidden data-left data-minutes="${say('minutesLeft', { minutes: '#' })}" data-minute="${say('minuteLeft')}" data-over="${say('timeOver')}"><b></b> ${say('left')}</span> <span class="soft">${say('until')} ${until}</span></p>
<progress hidden max="${to - from}" value="${Math.max(0, to - session.nowMs)}" aria-hidden="true"></progress></div>
${facts.priceHeldUntil && note('info', html`${say('priceHeld')} ${showMoment(facts.priceHeldUntil, language)}. ${say('priceAfter')}`)}`;
}

/** The day is said where it is another one. */
function untilText({ facts, session, language }: SessionPage): Html {
  const end = facts.expiresAt ?? '';
  const dayOf = (instant: string) => momentText(instant, 'en', 'day');
  const isToday = dayOf(end) === dayOf(instantOf(new Date(session.nowMs)));
  return showMoment(end, language, isToday ? 'time' : 'moment');
}

function details(page: SessionPage, after: 'afterTime' | 'depositAfterTime'): Html {
  const { say, facts } = page;
  const late = facts.expiresAt === null ? null : pair(say('afterWhen'), say(after));
  return html`<div><p class="live">${say(after === 'afterTime' ? 'waitingPayment' : 'waitingDeposit')}</p>
${more(say('details'), keyValues([...summary(page), late], true))}</div>`;
}

function picture(text: string | null, name: string, narrow: string, wide: string): Html {
  // The encoder draws it: the output contains no text of the input.
  return html`<figure class="qr"><div role="img" aria-label="${name}">${new Html(qrSvg(text ?? ''))}</div>
<figcaption class="small soft"><span class="narrow">${narrow}</span><span class="wide">${wide}</span></figcaption></figure>`;
}

function copyButton(page: SessionPage, id: 'amount' | 'address'): Html {
  const { say } = page;
  return html`<button type="button" class="primary" hidden data-copy="${id}"${answers(page)}>${icon('copy')} <span>${say('copy')}</span><span class="unseen"> ${say(id === 'amount' ? 'copyAmount' : 'copyAddress')}</span></button>`;
}

/** Labels of the button after it was pressed. */
function answers({ say }: SessionPage): Html {
  return html` data-done="${say('copied')}" data-by-hand="${say('copyByHand')}"`;
}
