/** One transaction: its history on one time axis, its facts, and the possible actions. */
import { notFound } from '../../base/errors/errors.ts';
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { showDecimal } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, idPair, keyValues, more, note, pair, segments } from '../../ui/parts.ts';
import { may, pathTo, type ScreenContext, sameWith, screenOf, type View } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { type AmountShown, inBrl, moment, money, statusBadge } from '../parts/figures.ts';
import { handOver } from '../parts/hand-over.ts';
import { axisOf, happenings, KINDS } from '../parts/happened.ts';
import { recordOf } from '../parts/record.ts';
import { refundConfirmation, refundVariables } from '../parts/refund-confirmation.ts';
import { actsNow, scenarios } from '../parts/transaction-acts.ts';
import { sayNamed } from '../words.ts';

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
  const { say, language } = context;
  const kind = sayNamed(say, found.__typename);
  const title = found.externalCode
    ? say('orderTitle', { code: found.externalCode })
    : `${kind} …${found.end2end.slice(-6)}`;
  const main = html`<nav class="small" aria-label="${say('youAreHere')}"><a class="go" href="${pathTo('/transactions')}">${say('transactions')}</a> <span class="soft">/ ${kind}</span></nav>
<div class="top"><h1>${title}</h1><span data-live="status">${statusBadge(found, language, true)}</span><p class="soft">${summary(context, found)}</p>
<div class="row push">${pageLink(context, found)}</div></div>
<div data-live="message">${message(context, found)}</div>
<div class="two"><div class="stack tight">${kindLinks(context)}${story(context, found, data)}</div>
<aside class="stack">${possible(context, found, data)}<div data-live="hand-over">${found.awaits === 'PAYER' && found.payment && handOver(context, found.payment.link, say('handOver'))}</div>${scenarios(context, found)}${facts(context, found)}${numbers(context, found)}${recordOf(context, found)}${body(context, found)}</aside></div>`;
  return { title, main };
}

/** The actions that are possible; or the confirmation of a refund, which no live update replaces. */
function possible(context: ScreenContext, found: Found, { approvals }: TransactionQuery): Html {
  const confirmed = refundConfirmation(context, found);
  return (
    confirmed ?? html`<div class="stack" data-live="acts">${actsNow(context, found, approvals[0])}</div>`
  );
}

/** What went wrong, or how it stands; nothing beside a status that says that all is done. */
function message(
  { language }: ScreenContext,
  { errorMessage, message: told, statusCode }: Found,
): Html | null {
  if (errorMessage?.[language]) return note('warning', errorMessage[language], true);
  return statusCode === 'SUCCESS' ? null : html`<p class="soft">${told[language]}</p>`;
}

/** The page of whoever pays; once it is paid, or where nobody pays from outside, the same page is the receipt. */
function pageLink({ say }: ScreenContext, found: Found): Html | null {
  const { payment, receiptUrl, statusCode } = found;
  if (!receiptUrl) return null;
  const isPaid = !payment || !['CREATED', 'PENDING'].includes(statusCode);
  return html`<a class="btn" href="${receiptUrl}" rel="noreferrer">${icon(isPaid ? 'receipt' : 'open')} ${say(isPaid ? 'receipt' : 'payersPage')}</a>`;
}

/** Its body, for who writes a program that reads it. */
function body({ say }: ScreenContext, { legacyBody }: Found): Html {
  const text = JSON.stringify(JSON.parse(legacyBody), null, 2);
  return html`<div data-live="body">${more(say('asV2'), html`<pre tabindex="0">${text}</pre>`)}</div>`;
}

function summary({ say, language }: ScreenContext, found: Found): string | null {
  const { source, target } = found;
  if (source && target)
    return say(leaves(found) ? 'leavesTo' : 'fromTo', {
      source: money(source, language),
      target: money(target, language),
    });
  const known = source ?? target;
  return known ? money(known, language) : null;
}

/** Whether it pays money out of the balance: none comes in. */
function leaves({ __typename }: Found): boolean {
  return __typename === 'Withdrawal';
}

function kindLinks(context: ScreenContext): Html {
  const { say } = context;
  const shown = context.query.get('show');
  const views = [null, ...KINDS].map((kind) => ({
    href: sameWith(context, { show: kind, done: null }),
    word: say(kind ?? 'everything'),
    isCurrent: shown === kind,
  }));
  return segments(say('whatToShow'), views);
}

function story(context: ScreenContext, found: Found, data: TransactionQuery): Html {
  const shown = context.query.get('show');
  const happened = happenings(context, found, data).filter(({ kind }) => shown === null || kind === shown);
  if (happened.length > 0) return axisOf(context, happened);
  const isImported = found.events.length === 0;
  return html`<div data-live="axis">${empty('clock', context.say(isImported ? 'imported' : 'nothingOfThat'))}</div>`;
}

function facts({ say, language }: ScreenContext, found: Found): Html {
  const { source, target, fees } = found;
  const [taxId, networkFee, rate] = ['clientTaxId', 'networkFee', 'quote'].map((name) => member(found, name));
  const back = sentBack(found);
  const seconds = (iso: string | null | undefined) => iso && moment(iso, language, 'second');
  const shown = keyValues(
    [
      pair(
        say(leaves(found) ? 'leavesBalance' : 'goesIn'),
        source && html`<b>${money(source, language)}</b>`,
      ),
      pair(say('fees'), fees && inBrl(fees, language)),
      pair(say('networkFee'), networkFee && target && money({ ...target, amount: networkFee }, language)),
      pair(say('rate'), rate && showDecimal(rate, language)),
      pair(say(leaves(found) ? 'arrives' : 'comesOut'), target && html`<b>${money(target, language)}</b>`),
      pair(say('sentBack'), back && html`<b>${money(back, language)}</b>`),
      pair(say('customer'), found.clientName),
      pair(say('clientTaxId'), taxId && formatTaxId(taxId)),
      pair(say('created'), seconds(found.createdAt)),
      pair(say('updated'), seconds(found.updatedAt)),
      pair(say('expires'), seconds(found.expiration)),
      pair(say('notes'), member(found, 'notes')),
    ],
    true,
  );
  return html`<section class="card in" aria-label="${say('facts')}" data-live="facts">${shown}</section>`;
}

/** Total of all returns to the payer; null when none has arrived. */
function sentBack({ refunds }: Found): AmountShown | null {
  const amounts = refunds.filter(({ state }) => ARRIVED.has(state)).map(({ amount }) => amount);
  const [first] = amounts;
  return first ? { ...first, amount: sum(amounts.map(({ amount }) => amount)) } : null;
}

const ARRIVED: ReadonlySet<string> = new Set(['DONE', 'PAID_BY_HAND']);

const NUMBERS = [
  'pixE2e',
  'txHash',
  'wallet',
  'address',
  'pixKey',
  'depositAddress',
  'depositExact',
] as const;

function numbers({ say }: ScreenContext, found: Found): Html {
  const pairs = NUMBERS.map((name) =>
    idPair(say(name), member(found, name === 'depositExact' ? 'exactDepositAmount' : name)),
  );
  return html`<section class="card in" aria-label="${say('numbers')}" data-live="numbers">${keyValues([idPair(say('reference'), found.end2end), ...pairs], true)}</section>`;
}

/** A member that only some kinds have. */
function member(found: Found, name: string): string | null {
  const value = (found as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : null;
}
