/** The page of a session: the form of its current step, the known facts, and the outcome. */
import { BRL, networkTitle } from '../base/money/currency.ts';
import type { Ask, PaymentSession } from '../resolvers/payer/payment-session.ts';
import type { Step } from '../templates/define.ts';
import { expiryOf } from '../templates/effects.ts';
import { attributes, type Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { keyValues, more } from '../ui/parts.ts';
import { amountAsk, confirmationAsk, identityAsk, quoteAsk, resolutionAsk } from './asks.ts';
import { clock, depositAsk, paymentAsk } from './codes.ts';
import { type Layout, layout } from './layout.ts';
import { hasReceipt, receipt, receiptParts, renewal, standing, wayBack } from './outcome.ts';
import { orderOf, pathOf, type SessionPage, showsPrice } from './page.ts';
import { sandboxPanel } from './sandbox-panel.ts';
import { received, sum, summary } from './summary.ts';
import { toldOf } from './told.ts';

/** Content under the title, for each form. */
const ASK_PARTS: Readonly<Record<Ask, (page: SessionPage) => Html>> = {
  amount: amountAsk,
  quote: quoteAsk,
  identity: identityAsk,
  confirmation: confirmationAsk,
  payment: paymentAsk,
  deposit: depositAsk,
  resolution: resolutionAsk,
};

/** @returns the whole page. */
export function sessionPage(page: SessionPage): string {
  const { session } = page;
  const isDone = isGood(session.step);
  return layout({
    ...frameOf(page),
    languagePath: (other) => pathOf({ ...page, language: other, isLanguageAsked: true }),
    isRefreshed: isFollowed(page),
    sum: sum(page),
    main: html`<main id="co"${stateOf(page)}>${page.notice && html`<p class="note warn" role="alert">${icon('warning')}<span>${page.notice}</span></p>`}
${session.ask === null ? html`${standing(page)}${isDone && wayBack(page, true)}${renewal(page)}${receipt(page)}${rest(page)}` : asked(page, session.ask)}
${session.ask !== null && renewal(page)}
${isFollowed(page) && html`<p class="no-print"><a class="go" href="${pathOf(page)}">${page.say('check')}</a></p>`}</main>`,
    foot: html`<p id="say" class="unseen" role="status"></p><span id="way">${!isDone && wayBack(page, false)}</span>`,
    after: page.scenarios && sandboxPanel(page, page.scenarios),
  });
}

/** @returns the receipt as a document of its own, to be kept; undefined where there is none yet. */
export function receiptPage(page: SessionPage): string | undefined {
  if (!hasReceipt(page)) return undefined;
  const { title } = toldOf(page);
  return layout({
    ...frameOf(page),
    title: `${page.say('receipt')}: ${title}`,
    languagePath: null,
    isRefreshed: false,
    logo: null,
    main: html`<main><div><h1>${title}</h1></div><section><h2 class="unseen">${page.say('receipt')}</h2>
<div class="receipt">${receiptParts(page).map((part) => keyValues(part))}</div></section></main>`,
    isFile: true,
  });
}

function frameOf(
  page: SessionPage,
): Pick<Layout, 'language' | 'say' | 'title' | 'branding' | 'logo' | 'order' | 'isTest'> {
  const { session, say, language } = page;
  return {
    language,
    say,
    title: titleOf(page),
    branding: session.branding,
    logo: session.branding.hasLogo ? pathOf({ ...page, isLanguageAsked: false }, 'logo') : null,
    order: orderOf(page),
    isTest: page.scenarios !== null,
  };
}

/** The form, under its title. */
function asked(page: SessionPage, ask: Ask): Html {
  const title = titleOf(page);
  const heading =
    ask === 'payment' || ask === 'deposit' ? clock(page, title) : html`<h1 tabindex="-1">${title}</h1>`;
  return html`${heading}
${ASK_PARTS[ask](page)}`;
}

function titleOf(page: SessionPage): string {
  const { session, say, facts } = page;
  const { source, target } = facts;
  switch (session.ask) {
    case 'amount':
      return say('amountTitle');
    case 'quote':
      return say('quoteTitle');
    case 'identity':
      return say(target === BRL ? 'payeeTitle' : 'identityTitle');
    case 'confirmation':
      return say('confirmTitle');
    case 'payment':
      return say('pixTitle');
    case 'deposit':
      return say('depositTitle', { asset: source.asset, network: networkTitle(source) });
    case 'resolution':
    case null:
      return toldOf(page).title;
  }
}

/** Whether the page follows changes: it has no form that its reader may be filling in. */
function isFollowed({ session }: SessionPage): boolean {
  return awaitsMoney(session) || (session.ask === null && session.step.ending === 'open');
}

function awaitsMoney({ ask }: PaymentSession): boolean {
  return ask === 'payment' || ask === 'deposit';
}

/** State for the page's script. */
function stateOf({ session, facts }: SessionPage): Html {
  const { row, step, nowMs } = session;
  return attributes({
    'data-sequence': row.process?.sequence,
    'data-now': nowMs,
    'data-end': awaitsMoney(session) && expiryOf(row),
    // Only a payer's token opens a stream; the page of a withdrawal or payout asks for itself until there is a receipt.
    'data-live': session.isPaidByPayer ? step.ending !== 'final' : step.ending === 'open' && 'poll',
    'data-leave': isGood(step) && facts.returnUrl !== null,
  });
}

/** Whether it came to a good end; a dispute that is open has not ended. */
function isGood({ statusCode, ending }: Step): boolean {
  return statusCode === 'SUCCESS' && ending !== 'open';
}

/** Further progress and details that the receipt lacks. */
function rest(page: SessionPage): Html {
  const { session, say } = page;
  const isOpen = session.step.ending === 'open';
  const given = hasReceipt(page)
    ? keyValues(showsPrice(page) ? received(page) : [], true)
    : keyValues(summary(page), true);
  return html`<div>${isOpen && html`<p class="live">${say('waiting')}</p>`}
${given && more(say('details'), given)}</div>`;
}
