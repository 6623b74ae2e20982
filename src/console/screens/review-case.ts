/** A case: why it waits, the transaction or money whole, what is related, notes, and what can be done. */
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, idPair, keyValues, note, pair } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { ReviewCaseQuery, TransactionRowFragment } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import {
  aboutText,
  assigneeText,
  assignForm,
  caseHref,
  dueText,
  kindText,
  PLACE_OF,
  whyText,
} from '../parts/cases.ts';
import { ago, inBrl, moment, money, statusBadge } from '../parts/figures.ts';
import { actForm, field } from '../parts/form.ts';
import { axisOf, happenings } from '../parts/happened.ts';
import { section } from '../parts/lists.ts';
import { medCases } from '../parts/med-cases.ts';
import { suspenseActs } from '../parts/suspense-acts.ts';
import { actsNow } from '../parts/transaction-acts.ts';
import { transactionFacts, transactionNumbers } from '../parts/transaction-facts.ts';
import { sayNamed } from '../words.ts';

type File = NonNullable<ReviewCaseQuery['reviewCase']>;
type Row = TransactionRowFragment;

/** The screen. */
export const REVIEW_CASE = screenOf<ReviewCaseQuery>({
  path: '/review/case',
  operation: operationNamed('ReviewCase'),
  variables: ({ query }) => ({ id: query.get('id') ?? '' }),
  view: ({ reviewCase: file, viewer }, context) => {
    const { say } = context;
    const kind = kindText(context, file.kind);
    const { transaction } = file;
    const title = titleOf(context, file);
    const main = html`<nav class="small" aria-label="${say('youAreHere')}"><a class="go" href="${pathTo('/review')}">${say('reviewQueue')}</a> <span class="soft">/ ${kind}</span></nav>
<div class="top"><h1>${kind}: ${title}</h1>${transaction && statusBadge(transaction, context.language, true)}</div>
${file.account !== null && file.account !== viewer.account.accountId && html`<p class="small soft">${say('caseLogged')}</p>`}
<div class="two"><div class="stack">${state(context, file, viewer.account.now)}${medCases(context, file.medCases, viewer.account.now)}${acts(context, file)}${related(context, file)}${transaction && story(context, transaction)}</div>
<aside class="stack">${notes(context, file)}${transaction && html`${transactionFacts(context, transaction)}${transactionNumbers(context, transaction)}`}${suspenseFacts(context, file)}</aside></div>`;
    return { title: `${kind}: ${title}`, main };
  },
});

/** Subject of the case: money in suspense by its amount, any other as the queue names it. */
function titleOf(context: ScreenContext, { transaction, suspense, waiting, reference }: File): string {
  if (suspense) return money(suspense, context.language);
  if (waiting) return aboutText(context, waiting);
  return transaction?.clientName ?? transaction?.externalCode ?? reference;
}

/** Reason for its wait, since when, until when, and who works on it. */
function state(context: ScreenContext, { kind, waiting, reference }: File, now: string): Html {
  const { say, language } = context;
  const place = PLACE_OF[kind]?.(reference);
  const link =
    place && html`<p><a class="btn" href="${place[0]}">${say('goThere', { place: say(place[1]) })}</a></p>`;
  if (!waiting)
    return section(
      'why',
      say('whyHere'),
      html`<div class="in stack tight">${note('done', say('caseDecided'))}${link}</div>`,
    );
  const facts = keyValues([
    pair(say('account'), waiting.accountName),
    pair(say('amount'), waiting.brl && inBrl(waiting.brl, language)),
    pair(say('age'), ago(waiting.since, language)),
    pair(say('dueAt'), dueText(context, waiting.dueAt ?? null, now)),
    pair(say('assignee'), html`<span class="row push">${assigneeText(context, waiting)}</span>`),
  ]);
  return section(
    'why',
    say('whyHere'),
    html`<div class="in stack tight"><p>${whyText(context, kind)}</p>${facts}${assignForm(context, waiting)}${link}</div>`,
  );
}

function acts(context: ScreenContext, { transaction, suspense }: File): Html | null {
  if (transaction) return actsNow(context, transaction, undefined);
  if (!suspense || !may(context, 'platform:risk')) return null;
  const forms = suspenseActs(context, suspense);
  return (
    forms && html`<section class="card in stack tight"><h2>${context.say('actsHere')}</h2>${forms}</section>`
  );
}

/** Money in suspense, and what the rail reported with it. */
function suspenseFacts({ say, language }: ScreenContext, { suspense, facts }: File): Html | null {
  if (!suspense) return null;
  const { amount, currency, reason, state: now, openedAt } = suspense;
  const shown = keyValues(
    [
      pair(say('amount'), html`<b>${money({ amount, currency }, language)}</b>`),
      pair(say('reason'), sayNamed(say, reason)),
      pair(say('status'), badge(now === 'OPEN' ? 'warn' : 'good', sayNamed(say, now))),
      pair(say('opened'), moment(openedAt, language)),
      ...facts.map(({ name, value }) =>
        /TaxId$/.test(name)
          ? pair(say('payerTaxId'), formatTaxId(value))
          : /At$/.test(name)
            ? pair(sayNamed(say, name), moment(value, language, 'second'))
            : idPair(sayNamed(say, name === 'from' ? 'fromAddress' : name), value),
      ),
    ],
    true,
  );
  return section('money', say('caseFacts'), html`<div class="in">${shown}</div>`);
}

function notes(context: ScreenContext, { caseKey, notes: written }: File): Html {
  const { say, language } = context;
  const given = { id: caseKey };
  const form = actForm(context, {
    act: 'AddReviewNote',
    given,
    button: say('noteAdd'),
    fields: field(
      context,
      'AddReviewNote',
      { name: 'body', label: say('noteField'), hint: say('noteHint'), isRequired: true },
      given,
    ),
  });
  const list = written.map(
    ({ author, authorName, body, writtenAt }) =>
      html`<li><p>${body}</p><small>${authorName ?? author} · ${moment(writtenAt, language)}</small></li>`,
  );
  const shown =
    list.length > 0
      ? html`<ul class="stack tight" data-live="notes">${list}</ul>`
      : html`<p class="soft small">${say('noNotes')}</p>`;
  return section('notes', say('notesTitle'), html`<div class="in stack">${shown}${form}</div>`);
}

/** Related transactions of this customer and this wallet; for money in suspense, open orders that it may be for. */
function related(context: ScreenContext, file: File): Html | null {
  const { say } = context;
  if (!file.transaction && !file.suspense) return null;
  const isShown = may(context, 'platform:risk') && file.suspense !== null;
  return html`${isShown && relatedList(context, file, 'candidates', say('noCandidates'))}${relatedList(context, file, 'samePayer', say('noRelated'))}${file.sameWallet.length > 0 && relatedList(context, file, 'sameWallet', say('noRelated'))}`;
}

function relatedList(
  context: ScreenContext,
  file: File,
  name: 'candidates' | 'samePayer' | 'sameWallet',
  nothing: string,
): Html {
  const { say, language } = context;
  const rows = file[name];
  const href = (end2end: string) =>
    may(context, 'platform:risk')
      ? caseHref(`HOLD:${file.account}:${end2end}`)
      : pathTo(`/transactions/${end2end}`);
  const columns: readonly Column<Row>[] = [
    { name: say('time'), cell: ({ createdAt }) => moment(createdAt, language) },
    {
      name: say('payerOrPayee'),
      isRowHead: true,
      cell: (row) => html`<a href="${href(row.end2end)}">${row.clientName ?? say('unknown')}</a>`,
    },
    { name: say('status'), cell: (row) => statusBadge(row, language) },
    { name: say('kind'), look: 'wide', cell: ({ __typename }) => sayNamed(say, __typename) },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ source, target }) => {
        const side = source ?? target;
        return side && money(side, language);
      },
    },
  ];
  const caption = say(name);
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  const content =
    rows.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('search', nothing);
  return section(name, caption, content);
}

/** Its time axis; of another account, without its logs. */
function story(context: ScreenContext, found: NonNullable<File['transaction']>): Html {
  const happened = happenings(context, found, {});
  return section(
    'story',
    context.say('whatHappened'),
    html`<div class="in">${axisOf(context, happened)}</div>`,
  );
}
