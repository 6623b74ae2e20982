/** One transaction: its history on one time axis, its facts, and the possible actions. */
import { notFound } from '../../base/errors/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, more, note, segments } from '../../ui/parts.ts';
import { may, pathTo, type ScreenContext, sameWith, screenOf, type View } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { money, statusBadge } from '../parts/figures.ts';
import { axisOf, type Happening, happenings, KINDS } from '../parts/happened.ts';
import { count } from '../parts/lists.ts';
import { recordOf } from '../parts/record.ts';
import { refundConfirmation, refundVariables } from '../parts/refund-confirmation.ts';
import { shareCard } from '../parts/share-card.ts';
import { actionForms, scenarios } from '../parts/transaction-actions.ts';
import { leaves, transactionFacts, transactionNumbers } from '../parts/transaction-facts.ts';
import { translateName } from '../words.ts';

type Found = NonNullable<TransactionQuery['transaction']>;

/** The screen. */
export const TRANSACTION = screenOf<TransactionQuery>({
  path: '/transactions/:end2end',
  operation: operationNamed('Transaction'),
  variables: (context) => ({
    end2end: context.named.end2end,
    isAdmin: may(context, 'admin'),
    ...refundVariables(context),
  }),
  view: (data, context) => {
    if (!data.transaction) throw notFound();
    return view(data.transaction, data, context);
  },
});

function view(found: Found, data: TransactionQuery, context: ScreenContext): View {
  const { translate, language } = context;
  const kind = translateName(translate, found.__typename);
  const title = found.externalCode
    ? translate('orderTitle', { code: found.externalCode })
    : `${kind} …${found.end2end.slice(-6)}`;
  const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/transactions')}">${translate('transactions')}</a> <span class="soft">/ ${kind}</span></nav>
<div class="top"><h1>${title}</h1><span data-live="status">${statusBadge(found, language, true)}</span><p class="soft">${summary(context, found)}</p>
<div class="row push">${pageLink(context, found)}</div></div>
<div data-live="message">${message(context, found)}</div>
<div class="two"><aside class="stack lead">${possible(context, found, data)}<div data-live="hand-over">${found.awaits === 'PAYER' && found.payment && shareCard(context, found.payment.link, translate('handOver'))}</div>${scenarios(context, found)}${transactionFacts(context, found)}${transactionNumbers(context, found)}${recordOf(context, found)}${body(context, found)}</aside>
<div class="stack tight">${kindLinks(context)}${story(context, found, data)}</div></div>`;
  return { title, main };
}

/** The actions that are possible; or the confirmation of a refund, which no live update replaces. */
function possible(context: ScreenContext, found: Found, { approvals }: TransactionQuery): Html {
  const confirmed = refundConfirmation(context, found);
  return (
    confirmed ?? html`<div class="stack" data-live="acts">${actionForms(context, found, approvals[0])}</div>`
  );
}

/** The error, or the message of the step; null next to a status that already says that all is done. */
function message(
  { language }: ScreenContext,
  { errorMessage, message: stepMessage, statusCode }: Found,
): Html | null {
  if (errorMessage?.[language]) return note('warning', errorMessage[language], true);
  return statusCode === 'SUCCESS' ? null : html`<p class="soft">${stepMessage[language]}</p>`;
}

/** The payer's page; once it is paid, or without an outside payer, the same page is the receipt. */
function pageLink({ translate }: ScreenContext, found: Found): Html | null {
  const { payment, receiptUrl, statusCode } = found;
  if (!receiptUrl) return null;
  const isPaid = !payment || !['CREATED', 'PENDING'].includes(statusCode);
  return html`<a class="btn" href="${receiptUrl}" rel="noreferrer">${icon(isPaid ? 'receipt' : 'open')} ${translate(isPaid ? 'receipt' : 'payersPage')}</a>`;
}

/** Its body, for developers of programs that read it. */
function body({ translate }: ScreenContext, { legacyBody }: Found): Html {
  const text = JSON.stringify(JSON.parse(legacyBody), null, 2);
  return html`<div data-live="body">${more(translate('asV2'), html`<pre tabindex="0">${text}</pre>`)}</div>`;
}

function summary({ translate, language }: ScreenContext, found: Found): string | null {
  const { source, target } = found;
  if (source && target)
    return translate(leaves(found) ? 'leavesTo' : 'fromTo', {
      source: money(source, language),
      target: money(target, language),
    });
  const known = source ?? target;
  return known ? money(known, language) : null;
}

function kindLinks(context: ScreenContext): Html {
  const { translate } = context;
  const shown = context.query.get('show');
  const views = [null, ...KINDS].map((kind) => ({
    href: sameWith(context, { show: kind, done: null }),
    word: translate(kind ?? 'everything'),
    isCurrent: shown === kind,
  }));
  return segments(translate('whatToShow'), views);
}

function webhooks(context: ScreenContext, folded: readonly Happening[]): Html {
  const title = html`${context.translate('webhooks')} <span class="count">${count(folded.length, context.language)}</span>`;
  return html`<div data-live="webhooks">${folded.length > 0 && more(title, axisOf(context, folded, 'folded'))}</div>`;
}

function story(context: ScreenContext, found: Found, data: TransactionQuery): Html {
  const shown = context.query.get('show');
  const all = happenings(context, found, data);
  // Webhooks are many and matter to few: among everything they are folded.
  const isFolded = ({ kind }: Happening) => shown === null && kind === 'webhooks';
  const happened = all.filter((each) => (shown === null || each.kind === shown) && !isFolded(each));
  const folded = all.filter(isFolded);
  if (happened.length > 0) return html`${axisOf(context, happened)}${webhooks(context, folded)}`;
  const isImported = found.events.length === 0;
  return html`<div data-live="axis">${empty('clock', context.translate(isImported ? 'imported' : 'nothingOfThat'))}</div>`;
}
