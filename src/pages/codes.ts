/** Payment instructions: a PIX code, or the address and the exact amount of a deposit. */
import { networkName } from '../base/money/currency.ts';
import { instantOf, millisOf } from '../base/time/instant.ts';
import { showAmount, showDecimal } from '../ui/figures.ts';
import { Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { address, copyValue, how, keyValues, more, note, pair } from '../ui/parts.ts';
import { qrSvg } from '../ui/qr.ts';
import { instantText, showTime } from '../ui/times.ts';
import type { SessionPage } from './page.ts';
import { summary } from './summary.ts';

/** @returns instructions to pay by PIX, and the required payer. */
export function paymentPrompt(page: SessionPage): Html {
  const { translate, facts, session, language } = page;
  const { qrContent, pixCopyPaste, clientName, clientTaxId } = facts;
  const amount = showAmount(facts.amountPayment ?? '0', facts.source, language);
  const receiver = facts.receiverName ?? session.branding.displayName;
  return html`<div class="stack tight">
<button type="button" class="primary big full" hidden data-copy="code"${answers(page)}>${icon('copy')} <span>${translate('copyCode')}</span></button>
${copyValue({ id: 'code', name: translate('pixCode'), shown: pixCopyPaste, isCut: true })}
<button type="button" class="full" hidden data-share="code">${icon('share')} ${translate('shareCode')}</button></div>
${how([translate('howCopy'), translate('howApp'), translate('howCheck', { amount, receiver })])}
${picture(qrContent, translate('pixScan'), translate('scanPhone'), translate('scanApp'))}
${clientName && clientTaxId && note('person', translate('pixOwner', { name: clientName, taxId: clientTaxId }))}
${details(page, 'afterTime')}`;
}

/** @returns the address and the exact amount of the deposit. */
export function depositPrompt(page: SessionPage): Html {
  const { translate, facts, language } = page;
  const { qrContent, depositAddress, exactDepositAmount, depositUri, source } = facts;
  const network = networkName(source);
  const exact = exactDepositAmount ?? '';
  return html`<div class="stack">
<div class="field"><b>${translate('depositAmount')}</b>
${copyValue({ id: 'amount', shown: showDecimal(exact, language), text: exact, button: copyButton(page, 'amount') })}</div>
<div class="field"><b>${translate('depositAddress', { network })}</b>
${copyValue({ id: 'address', shown: address(depositAddress ?? ''), button: copyButton(page, 'address') })}</div>
${depositUri && html`<a class="btn full" href="${depositUri}">${icon('wallet')} ${translate('openWallet')}</a>`}</div>
<div class="stack tight">${note('warning', translate('depositNetwork', { asset: source.asset, network }), true)}
${note('info', translate('depositExact'))}</div>
${picture(qrContent, translate('depositScan'), translate('scanPhone'), translate('scanWallet'))}
${details(page, 'depositAfterTime')}`;
}

/** @returns the remaining time, under the title: a countdown with script, the end time without. */
export function clock(page: SessionPage, title: string): Html {
  const { translate, facts, session, language } = page;
  const heading = html`<h1 tabindex="-1">${title}</h1>`;
  if (!facts.expiresAt) return html`<div class="clock first">${heading}</div>`;
  const until = untilText(page);
  const [from, to] = [millisOf(session.row.createdAt), millisOf(facts.expiresAt)];
  return html`<div class="clock first">${heading}
<p>${icon('clock')} <span hidden data-left data-minutes="${translate('minutesLeft', { minutes: '#' })}" data-minute="${translate('minuteLeft')}" data-over="${translate('timeOver')}"><b></b> ${translate('left')}</span> <span class="soft">${translate('until')} ${until}</span></p>
<progress hidden max="${to - from}" value="${Math.max(0, to - session.nowMs)}" aria-hidden="true"></progress></div>
${facts.priceHeldUntil && note('info', html`${translate('priceHeld')} ${showTime(facts.priceHeldUntil, language)}. ${translate('priceAfter')}`)}`;
}

/** The day is added if it is not today. */
function untilText({ facts, session, language }: SessionPage): Html {
  const end = facts.expiresAt ?? '';
  const dayOf = (instant: string) => instantText(instant, 'en', 'day');
  const isToday = dayOf(end) === dayOf(instantOf(new Date(session.nowMs)));
  return showTime(end, language, isToday ? 'time' : 'moment');
}

function details(page: SessionPage, after: 'afterTime' | 'depositAfterTime'): Html {
  const { translate, facts } = page;
  const late = facts.expiresAt === null ? null : pair(translate('afterWhen'), translate(after));
  return html`<div><p class="live">${translate(after === 'afterTime' ? 'waitingPayment' : 'waitingDeposit')}</p>
${more(translate('details'), keyValues([...summary(page), late], true))}</div>`;
}

function picture(text: string | null, name: string, narrow: string, wide: string): Html {
  // The encoder draws the image: the output contains no text of the input.
  return html`<figure class="qr"><div role="img" aria-label="${name}">${new Html(qrSvg(text ?? ''))}</div>
<figcaption class="small soft"><span class="narrow">${narrow}</span><span class="wide">${wide}</span></figcaption></figure>`;
}

function copyButton(page: SessionPage, id: 'amount' | 'address'): Html {
  const { translate } = page;
  return html`<button type="button" class="primary" hidden data-copy="${id}"${answers(page)}>${icon('copy')} <span>${translate('copy')}</span><span class="unseen"> ${translate(id === 'amount' ? 'copyAmount' : 'copyAddress')}</span></button>`;
}

/** Labels of the button after a click. */
function answers({ translate }: SessionPage): Html {
  return html` data-done="${translate('copied')}" data-by-hand="${translate('copyByHand')}"`;
}
