/** What a payer pays to: a PIX code, or the address and the exact amount of a deposit. QR images are drawn here. */
import encodeQR from 'qr';
import { networkName } from '../base/currency.ts';
import { showAmount, showExact, showMoment } from '../ui/figures.ts';
import { Html, html } from '../ui/html.ts';
import type { SessionPage } from './page.ts';
import type { Say } from './words.ts';

/** @returns the QR image of a text as SVG, with the quiet zone of four modules that readers need (ISO/IEC 18004). */
export function qrSvg(text: string): string {
  return encodeQR(text, 'svg', { ecc: 'medium', border: 4 });
}

/** @returns how to pay by PIX, until when, and from whose account. */
export function paymentAsk({ say, facts, language }: SessionPage): Html {
  const { qrContent, pixCopyPaste, clientName, clientTaxId } = facts;
  return html`${picture(qrContent, say('pixScan'))}
<p>${say('pixHow')}</p>
${copyable(say, 'code', say('pixCode'), pixCopyPaste ?? '')}
${clientName && clientTaxId && html`<p>${say('pixOwner', { name: clientName, taxId: clientTaxId })}</p>`}
${deadline({ say, facts, language }, 'payUntil', 'afterTime')}`;
}

/** @returns where to deposit, how much exactly, and until when. */
export function depositAsk({ say, facts, language }: SessionPage): Html {
  const { qrContent, depositAddress, exactDepositAmount, depositUri, source } = facts;
  return html`<p>${say('depositExact')}</p>
${copyable(say, 'amount', say('depositAmount'), exactDepositAmount ?? '')}
${picture(qrContent, say('depositScan'))}
${copyable(say, 'address', say('depositAddress'), depositAddress ?? '')}
<p><strong>${say('depositNetwork', { asset: source.asset, network: networkName(source) })}</strong></p>
${depositUri && html`<p><a class="button second" href="${depositUri}">${say('openWallet')}</a></p>`}
${deadline({ say, facts, language }, 'sendUntil', 'depositAfterTime')}`;
}

/** @returns what is asked, in one line. */
export function codeTitle({ session, say, facts, language }: SessionPage): string {
  return session.ask === 'payment'
    ? say('pixTitle', { amount: showAmount(facts.amountPayment ?? '0', facts.source, language) })
    : say('depositTitle', { amount: showExact(facts.exactDepositAmount ?? '', facts.source, language) });
}

function picture(text: string | null, name: string): Html {
  // Drawn by the encoder: nothing of the text is in it as text.
  return html`<div class="qr" role="img" aria-label="${name}">${new Html(qrSvg(text ?? ''))}</div>`;
}

/** A text that is copied as a whole, by a button where there is script, by hand elsewhere. */
function copyable(say: Say, id: string, name: string, text: string): Html {
  const rows = Math.min(5, Math.ceil(text.length / 40));
  return html`<p class="field"><label for="${id}">${name}</label>
<textarea id="${id}" readonly rows="${rows}" spellcheck="false" autocomplete="off">${text}</textarea>
<span class="tools"><button type="button" hidden data-copy="${id}" data-done="${say('copied')}" data-by-hand="${say('copyByHand')}">${say('copy')}</button>
<button type="button" class="second" hidden data-share="${id}">${say('share')}</button></span></p>`;
}

function deadline(
  { say, facts, language }: Pick<SessionPage, 'say' | 'facts' | 'language'>,
  until: 'payUntil' | 'sendUntil',
  after: 'afterTime' | 'depositAfterTime',
): Html | null {
  if (!facts.expiresAt) return null;
  return html`<p>${say(until)} ${showMoment(facts.expiresAt, language)}<span hidden data-left data-minutes="${say('minutesLeft', { minutes: '#' })}" data-minute="${say('minuteLeft')}" data-over="${say('timeOver')}"> · ${say('left')} <b></b></span>. ${say(after)}</p>
${facts.priceHeldUntil && html`<p>${say('priceHeld')} ${showMoment(facts.priceHeldUntil, language)}. ${say('priceAfter')}</p>`}`;
}
