/** The page of a session: the form of its current step, the known facts, and the outcome. */
import { BRL, networkTitle } from '../base/money/currency.ts';
import type { PaymentSession, Prompt } from '../resolvers/payer/payment-session.ts';
import type { Step } from '../templates/define.ts';
import { expiryOf } from '../templates/effects.ts';
import { attributes, type Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { keyValues, more } from '../ui/parts.ts';
import { clock, depositPrompt, paymentPrompt } from './codes.ts';
import { type Layout, layout } from './layout.ts';
import { hasReceipt, moneyStatus, receipt, receiptParts, renewal, returnLink } from './outcome.ts';
import { EMAIL, orderOf, pathOf, type SessionPage, showsPrice } from './page.ts';
import { payerMessageOf } from './payer-message.ts';
import {
  amountPrompt,
  confirmationPrompt,
  identityPrompt,
  quotePrompt,
  resolutionPrompt,
} from './prompts.ts';
import { emailForm, emailLine } from './receipt-email.ts';
import { sandboxPanel } from './sandbox-panel.ts';
import { received, sum, summary } from './summary.ts';

/** Content under the title, for each form. */
const PROMPT_PARTS: Readonly<Record<Prompt, (page: SessionPage) => Html>> = {
  amount: amountPrompt,
  quote: quotePrompt,
  identity: identityPrompt,
  confirmation: confirmationPrompt,
  payment: paymentPrompt,
  deposit: depositPrompt,
  resolution: resolutionPrompt,
};

/** @returns the whole page. */
export function sessionPage(page: SessionPage): string {
  const { session } = page;
  const isDone = isSuccess(session.step);
  return layout({
    ...frameOf(page),
    languagePath: (other) => pathOf({ ...page, language: other, isLanguageChosen: true }),
    isRefreshed: isFollowed(page),
    sum: sum(page),
    main: html`<main id="co"${stateOf(page)}>${noticeLine(page)}
${session.ask === null ? html`${moneyStatus(page)}${isDone && returnLink(page, true)}${renewal(page)}${receipt(page)}${rest(page)}` : promptForm(page, session.ask)}
${session.ask !== null && renewal(page)}
${isFollowed(page) && html`<p class="no-print"><a class="go" href="${pathOf(page)}">${page.translate('check')}</a></p>`}
${emailLine(page)}</main>`,
    foot: html`<p id="say" class="unseen" role="status"></p><span id="way">${!isDone && returnLink(page, false)}</span>`,
    after: page.scenarios && sandboxPanel(page, page.scenarios),
  });
}

/** @returns the page of the form for a receipt by e-mail. */
export function emailPage(page: SessionPage): string {
  const title = page.translate('emailTitle');
  return layout({
    ...frameOf(page),
    title,
    languagePath: (other) => pathOf({ ...page, language: other, isLanguageChosen: true }, EMAIL),
    isRefreshed: false,
    main: html`<main id="co">${noticeLine(page)}<h1>${title}</h1>${emailForm(page)}</main>`,
  });
}

function noticeLine({ notice }: SessionPage): Html | null {
  return notice === null
    ? null
    : html`<p class="note warn" role="alert">${icon('warning')}<span>${notice}</span></p>`;
}

/** @returns the receipt as a document of its own, to be stored; undefined if there is none yet. */
export function receiptPage(page: SessionPage): string | undefined {
  if (!hasReceipt(page)) return undefined;
  const { title } = payerMessageOf(page);
  return layout({
    ...frameOf(page),
    title: `${page.translate('receipt')}: ${title}`,
    languagePath: null,
    isRefreshed: false,
    logo: null,
    main: html`<main><div><h1>${title}</h1></div><section><h2 class="unseen">${page.translate('receipt')}</h2>
<div class="receipt">${receiptParts(page).map((part) => keyValues(part))}</div></section></main>`,
    isFile: true,
  });
}

function frameOf(
  page: SessionPage,
): Pick<Layout, 'language' | 'translate' | 'title' | 'branding' | 'logo' | 'order' | 'isTest'> {
  const { session, translate, language } = page;
  return {
    language,
    translate,
    title: titleOf(page),
    branding: session.branding,
    logo: session.branding.hasLogo ? pathOf({ ...page, isLanguageChosen: false }, 'logo') : null,
    order: orderOf(page),
    isTest: page.scenarios !== null,
  };
}

/** The form, under its title. */
function promptForm(page: SessionPage, prompt: Prompt): Html {
  const title = titleOf(page);
  const heading =
    prompt === 'payment' || prompt === 'deposit' ? clock(page, title) : html`<h1 tabindex="-1">${title}</h1>`;
  return html`${heading}
${PROMPT_PARTS[prompt](page)}`;
}

function titleOf(page: SessionPage): string {
  const { session, translate, facts } = page;
  const { source, target } = facts;
  switch (session.ask) {
    case 'amount':
      return translate('amountTitle');
    case 'quote':
      return translate('quoteTitle');
    case 'identity':
      return translate(target === BRL ? 'payeeTitle' : 'identityTitle');
    case 'confirmation':
      return translate('confirmTitle');
    case 'payment':
      return translate('pixTitle');
    case 'deposit':
      return translate('depositTitle', { asset: source.asset, network: networkTitle(source) });
    case 'resolution':
    case null:
      return payerMessageOf(page).title;
  }
}

/** Whether the page follows changes: only if it has no form that the reader may be filling in. */
function isFollowed({ session }: SessionPage): boolean {
  return awaitsMoney(session) || (session.ask === null && session.step.ending === 'open');
}

function awaitsMoney({ ask: prompt }: PaymentSession): boolean {
  return prompt === 'payment' || prompt === 'deposit';
}

/** State for the page's script. */
function stateOf({ session, facts }: SessionPage): Html {
  const { row, step, nowMs } = session;
  return attributes({
    'data-sequence': row.process?.sequence,
    'data-now': nowMs,
    'data-end': awaitsMoney(session) && expiryOf(row),
    // Only a payer's token opens a stream; the page of a withdrawal or payout polls until there is a receipt.
    'data-live': session.isPaidByPayer ? step.ending !== 'final' : step.ending === 'open' && 'poll',
    'data-leave': isSuccess(step) && facts.returnUrl !== null,
  });
}

/** Whether the payment succeeded; a transaction with an open dispute has not ended. */
function isSuccess({ statusCode, ending }: Step): boolean {
  return statusCode === 'SUCCESS' && ending !== 'open';
}

/** Further progress, and details that the receipt lacks. */
function rest(page: SessionPage): Html {
  const { session, translate } = page;
  const isOpen = session.step.ending === 'open';
  const parts = hasReceipt(page)
    ? keyValues(showsPrice(page) ? received(page) : [], true)
    : keyValues(summary(page), true);
  return html`<div>${isOpen && html`<p class="live">${translate('waiting')}</p>`}
${parts && more(translate('details'), parts)}</div>`;
}
