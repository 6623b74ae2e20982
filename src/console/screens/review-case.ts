/** A case: its reason, the whole transaction or money, related records, notes, and the possible actions. */
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
  SCREEN_OF,
  whyText,
} from '../parts/cases.ts';
import { ago, inBrl, listTime, money, statusBadge } from '../parts/figures.ts';
import { actionForm, field } from '../parts/form.ts';
import { axisOf, happenings } from '../parts/happened.ts';
import { section } from '../parts/lists.ts';
import { medCases } from '../parts/med-cases.ts';
import { suspenseActions } from '../parts/suspense-actions.ts';
import { actionForms } from '../parts/transaction-actions.ts';
import { transactionFacts, transactionNumbers } from '../parts/transaction-facts.ts';
import { translateName } from '../words.ts';

type File = NonNullable<ReviewCaseQuery['reviewCase']>;
type Row = TransactionRowFragment;

/** The screen. */
export const REVIEW_CASE = screenOf<ReviewCaseQuery>({
  path: '/review/case',
  operation: operationNamed('ReviewCase'),
  variables: ({ query }) => ({ id: query.get('id') ?? '' }),
  view: ({ reviewCase: file, viewer }, context) => {
    const { translate } = context;
    const kind = kindText(context, file.kind);
    const { transaction } = file;
    const title = titleOf(context, file);
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/review')}">${translate('reviewQueue')}</a> <span class="soft">/ ${kind}</span></nav>
<div class="top"><h1>${kind}: ${title}</h1>${transaction && statusBadge(transaction, context.language, true)}</div>
${file.account !== null && file.account !== viewer.account.accountId && html`<p class="small soft">${translate('caseLogged')}</p>`}
<div class="two"><div class="stack">${state(context, file, viewer.account.now)}${medCases(context, file.medCases, viewer.account.now)}${caseActions(context, file)}${related(context, file)}${transaction && story(context, transaction)}</div>
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

/** Reason for its wait, its start and deadline, and its assignee. */
function state(context: ScreenContext, { kind, waiting, reference }: File, now: string): Html {
  const { translate, language } = context;
  const screen = SCREEN_OF[kind]?.(reference);
  const link =
    screen &&
    html`<p><a class="btn" href="${screen[0]}">${translate('goThere', { place: translate(screen[1]) })}</a></p>`;
  if (!waiting)
    return section(
      'why',
      translate('whyHere'),
      html`<div class="in stack tight">${note('done', translate('caseDecided'))}${link}</div>`,
    );
  const facts = keyValues([
    pair(translate('account'), waiting.accountName),
    pair(translate('amount'), waiting.brl && inBrl(waiting.brl, language)),
    pair(translate('age'), ago(waiting.since, language)),
    pair(translate('dueAt'), dueText(context, waiting.dueAt ?? null, now)),
    pair(translate('assignee'), html`<span class="row push">${assigneeText(context, waiting)}</span>`),
  ]);
  return section(
    'why',
    translate('whyHere'),
    html`<div class="in stack tight"><p>${whyText(context, kind)}</p>${facts}${assignForm(context, waiting)}${link}</div>`,
  );
}

function caseActions(context: ScreenContext, { transaction, suspense }: File): Html | null {
  if (transaction) return actionForms(context, transaction, undefined);
  if (!suspense || !may(context, 'platform:risk')) return null;
  const forms = suspenseActions(context, suspense);
  return (
    forms &&
    html`<section class="card in stack tight"><h2>${context.translate('actsHere')}</h2>${forms}</section>`
  );
}

/** Money in suspense, and what the rail reported with it. */
function suspenseFacts({ translate, language }: ScreenContext, { suspense, facts }: File): Html | null {
  if (!suspense) return null;
  const { amount, currency, reason, state: now, openedAt } = suspense;
  const shown = keyValues(
    [
      pair(translate('amount'), html`<b>${money({ amount, currency }, language)}</b>`),
      pair(translate('reason'), translateName(translate, reason)),
      pair(translate('status'), badge(now === 'OPEN' ? 'warn' : 'good', translateName(translate, now))),
      pair(translate('opened'), listTime(openedAt, language)),
      ...facts.map(({ name, value }) =>
        /TaxId$/.test(name)
          ? pair(translate('payerTaxId'), formatTaxId(value))
          : /At$/.test(name)
            ? pair(translateName(translate, name), listTime(value, language, 'second'))
            : idPair(translateName(translate, name === 'from' ? 'fromAddress' : name), value),
      ),
    ],
    true,
  );
  return section('money', translate('caseFacts'), html`<div class="in">${shown}</div>`);
}

function notes(context: ScreenContext, { caseKey, notes: written }: File): Html {
  const { translate, language } = context;
  const preset = { id: caseKey };
  const form = actionForm(context, {
    action: 'AddReviewNote',
    preset,
    button: translate('noteAdd'),
    fields: field(
      context,
      'AddReviewNote',
      { name: 'body', label: translate('noteField'), hint: translate('noteHint'), isRequired: true },
      preset,
    ),
  });
  const list = written.map(
    ({ author, authorName, body, writtenAt }) =>
      html`<li><p>${body}</p><small>${authorName ?? author} · ${listTime(writtenAt, language)}</small></li>`,
  );
  const shown =
    list.length > 0
      ? html`<ul class="stack tight" data-live="notes">${list}</ul>`
      : html`<p class="soft small">${translate('noNotes')}</p>`;
  return section('notes', translate('notesTitle'), html`<div class="in stack">${shown}${form}</div>`);
}

/** Related transactions of this customer and this wallet; for money in suspense, open orders that it may be for. */
function related(context: ScreenContext, file: File): Html | null {
  const { translate } = context;
  if (!file.transaction && !file.suspense) return null;
  const isShown = may(context, 'platform:risk') && file.suspense !== null;
  return html`${isShown && relatedList(context, file, 'candidates', translate('noCandidates'))}${relatedList(context, file, 'samePayer', translate('noRelated'))}${file.sameWallet.length > 0 && relatedList(context, file, 'sameWallet', translate('noRelated'))}`;
}

function relatedList(
  context: ScreenContext,
  file: File,
  name: 'candidates' | 'samePayer' | 'sameWallet',
  nothing: string,
): Html {
  const { translate, language } = context;
  const rows = file[name];
  const href = (end2end: string) =>
    may(context, 'platform:risk')
      ? caseHref(`HOLD:${file.account}:${end2end}`)
      : pathTo(`/transactions/${end2end}`);
  const columns: readonly Column<Row>[] = [
    { name: translate('time'), cell: ({ createdAt }) => listTime(createdAt, language) },
    {
      name: translate('payerOrPayee'),
      isRowHead: true,
      cell: (row) => html`<a href="${href(row.end2end)}">${row.clientName ?? translate('unknown')}</a>`,
    },
    { name: translate('status'), cell: (row) => statusBadge(row, language) },
    {
      name: translate('kind'),
      style: 'wide',
      cell: ({ __typename }) => translateName(translate, __typename),
    },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ source, target }) => {
        const side = source ?? target;
        return side && money(side, language);
      },
    },
  ];
  const caption = translate(name);
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  const content =
    rows.length > 0 ? scrolled(translate('tableOf', { name: caption }), shown) : empty('search', nothing);
  return section(name, caption, content);
}

/** Its time axis; of another account, without its logs. */
function story(context: ScreenContext, found: NonNullable<File['transaction']>): Html {
  const happened = happenings(context, found, {});
  return section(
    'story',
    context.translate('whatHappened'),
    html`<div class="in">${axisOf(context, happened)}</div>`,
  );
}
