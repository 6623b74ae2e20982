/** The page of a session: what is asked where it stands, what is known, and what follows its end. */
import { BRL } from '../base/currency.ts';
import type { Ask, PaymentSession } from '../resolvers/payer/payment-session.ts';
import { accepts } from '../templates/accepts.ts';
import type { Step } from '../templates/define.ts';
import { expiryOf } from '../templates/ends.ts';
import { type Html, html } from '../ui/html.ts';
import { amountAsk, confirmationAsk, identityAsk, quoteAsk, resolutionAsk } from './asks.ts';
import { codeTitle, depositAsk, paymentAsk } from './codes.ts';
import { layout } from './layout.ts';
import { receipt, renewal, summary, wayBack } from './outcome.ts';
import { pathOf, type SessionPage } from './page.ts';
import { sandboxPanel } from './sandbox-panel.ts';

/** What stands under the title, for each thing that is asked. */
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
  const { session, say, language } = page;
  const title = titleOf(page);
  return layout({
    language,
    say,
    title,
    branding: session.branding,
    logo: session.branding.hasLogo ? pathOf({ ...page, isLanguageAsked: false }, 'logo') : null,
    languagePath: (other) => pathOf({ ...page, language: other, isLanguageAsked: true }),
    isRefreshed: isFollowed(page),
    isTest: page.scenarios !== null,
    main: html`<main id="co"${stateOf(page)}><h1 tabindex="-1">${title}</h1>
${page.notice && html`<p class="notice" role="alert">${page.notice}</p>`}
${session.ask === null ? standing(page) : ASK_PARTS[session.ask](page)}
${isFollowed(page) && html`<p><a href="${pathOf(page)}">${say('check')}</a></p>`}
${renewal(page)}
${factsOf(page)}
${receipt(page)}
${wayBack(page)}</main>
<p id="say" class="unseen" role="status"></p>`,
    after: page.scenarios && sandboxPanel(page, page.scenarios),
  });
}

function titleOf(page: SessionPage): string {
  const { session, say, language, facts } = page;
  switch (session.ask) {
    case 'amount':
      return say('amountTitle');
    case 'quote':
      return say('quoteTitle');
    case 'identity':
      return say(facts.target === BRL ? 'payeeTitle' : 'identityTitle');
    case 'confirmation':
      return say('confirmTitle');
    case 'payment':
    case 'deposit':
      return codeTitle(page);
    case 'resolution':
    case null:
      return session.step.substatus[language];
  }
}

/** Whether the page shows something that changes without its reader: nobody writes into a form on it. */
function isFollowed({ session }: SessionPage): boolean {
  return awaitsMoney(session) || (session.ask === null && session.step.ending === 'open');
}

function awaitsMoney({ ask }: PaymentSession): boolean {
  return ask === 'payment' || ask === 'deposit';
}

/** What the script of the page goes by. */
function stateOf({ session, facts }: SessionPage): Html {
  const { row, step, nowMs } = session;
  const end = awaitsMoney(session) ? expiryOf(row) : undefined;
  return html` data-sequence="${row.process?.sequence}" data-now="${nowMs}"${end && html` data-end="${end}"`}${step.ending !== 'final' && html` data-live`}${isDone(step) && facts.returnUrl && html` data-leave`}`;
}

/** Whether it came to a good end; a dispute that is open has not ended. */
function isDone({ status, ending }: Step): boolean {
  return status.en === 'Success' && ending !== 'open';
}

/** Where it stands, in words, when nothing is asked; of money that goes back also why (C-31). */
function standing({ session, say, language }: SessionPage): Html {
  const { step, row, template, branding } = session;
  const isOpen = step.ending === 'open';
  const reason = language === 'pt' ? row.errorPt : row.errorEn;
  return html`${reason !== step.message[language] && reason && html`<p>${reason}</p>`}<p>${step.message[language]}</p>
${accepts(template, row, 'step_up_approved') && accepts(template, row, 'step_up_denied') && html`<p>${say('stepUp', { merchant: branding.displayName })}</p>`}
${accepts(template, row, 'refund_settled') && html`<p>${say('refunding')}</p>`}
${isOpen && html`<p class="progress"><progress></progress> ${say('waiting')}</p>`}`;
}

/** The summary: folded up where something else is to be done first, nothing where it is what is asked about. */
function factsOf(page: SessionPage): Html | null {
  if (page.session.ask === 'quote') return null;
  if (!awaitsMoney(page.session)) return summary(page);
  return html`<details><summary>${page.say('details')}</summary>${summary(page)}</details>`;
}
