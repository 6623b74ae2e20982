/** A case: its reason, the whole transaction or money, related records, notes, and the possible actions. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { formatTaxId, maskTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, idPair, keyValues, note, pair } from '../../ui/parts.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { ReviewCaseQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { customerCard, customerCaseCard, type Evidence, hitCard } from '../parts/case-evidence.ts';
import { decisionList, reasonList } from '../parts/case-reasons.ts';
import { relatedRecords } from '../parts/case-related.ts';
import {
  aboutText,
  assigneeText,
  assignForm,
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
import { resumeForm } from '../parts/network-sending.ts';
import { secondPersonNote } from '../parts/second-person.ts';
import { suspenseActions } from '../parts/suspense-actions.ts';
import { actionForms } from '../parts/transaction-actions.ts';
import { transactionFacts, transactionNumbers } from '../parts/transaction-facts.ts';
import { translateName } from '../words.ts';

type File = NonNullable<ReviewCaseQuery['reviewCase']>;

/** Kinds of cases that approvals decide. */
const MONEY_OUT: readonly string[] = ['APPROVAL', 'OUTFLOW_CEILING'];

/** The screen. */
export const REVIEW_CASE = screenOf<ReviewCaseQuery>({
  path: '/review/case',
  operation: operationNamed('ReviewCase'),
  variables: (context) => {
    const id = context.query.get('id') ?? '';
    const [kind = '', , end2end = ''] = id.split(':');
    // Only people of its account approve money out.
    const isMoneyOut = MONEY_OUT.includes(kind) && !may(context, PLATFORM_SCOPES);
    return { id, end2end, isMoneyOut, hasRisk: may(context, 'platform:risk') };
  },
  view: ({ reviewCase: file, reviewEvidence, viewer, approvals }, context) => {
    const evidence = reviewEvidence ?? null;
    const { translate } = context;
    const kind = kindText(context, file.kind);
    const { transaction } = file;
    const isLogged = (transaction ?? file.suspense) && file.account !== viewer.account.accountId;
    const title = titleOf(context, file, evidence);
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/review')}">${translate('reviewQueue')}</a> <span class="soft">/ ${kind}</span></nav>
<div class="top"><h1>${kind}: ${title}</h1>${transaction && statusBadge(transaction, context.language, true)}</div>
${isLogged && html`<p class="small soft">${translate('caseLogged')}</p>`}
<div class="two"><div class="stack">${state(context, { file, evidence, now: viewer.account.now })}${decided(context, file)}${medCases(context, file.medCases, viewer.account.now)}${evidence && findings(context, { file, evidence, now: viewer.account.now })}${secondPersonNote(context, evidence?.secondPersonBar)}${caseActions(context, file, approvals?.[0])}${relatedRecords(context, file)}${transaction && story(context, transaction, file.account === viewer.account.accountId)}</div>
<aside class="stack">${notes(context, file)}${evidence && customerCard(context, file, evidence)}${transaction && html`${transactionFacts(context, transaction)}${transactionNumbers(context, transaction)}`}${suspenseFacts(context, file)}</aside></div>`;
    return { title: `${kind}: ${title}`, main };
  },
});

/** Subject of the case: money in suspense by its amount, any other as the queue names it. */
function titleOf(
  context: ScreenContext,
  { kind, transaction, suspense, waiting, reference }: File,
  evidence: Evidence | null,
): string {
  if (suspense) return money(suspense, context.language);
  if (waiting) return aboutText(context, waiting);
  const [hit] = kind === 'SCREENING_HIT' ? (evidence?.hits ?? []) : [];
  if (hit) return hit.subjectName ?? hit.address ?? hit.entryName;
  const found =
    kind === 'CUSTOMER_CASE' && evidence?.customerCases.find(({ caseId }) => caseId === reference);
  if (found) return found.name ?? evidence?.customer?.names.at(-1) ?? maskTaxId(found.taxId);
  return transaction?.clientName ?? transaction?.externalCode ?? reference;
}

interface Shown {
  readonly file: File;
  readonly evidence: Evidence | null;
  /** Time of the account. */
  readonly now: string;
}

/** Reasons for its wait, its start and deadline, and its assignee. */
function state(context: ScreenContext, { file, evidence, now }: Shown): Html {
  const { kind, waiting, account, reference, suspense } = file;
  const { translate, language } = context;
  const screen = SCREEN_OF[kind]?.(reference, account);
  const resume = kind === 'PAUSED_NETWORK' && waiting ? resumeForm(context, reference) : null;
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
    pair(translate('reason'), suspense && translateName(translate, suspense.reason)),
    pair(translate('assignee'), html`<span class="row push">${assigneeText(context, waiting)}</span>`),
  ]);
  // A frozen payment is not returned, so the text of holds would be wrong.
  const why = kind === 'HOLD' && evidence?.isFrozen ? null : html`<p>${whyText(context, kind)}</p>`;
  return section(
    'why',
    translate('whyHere'),
    html`<div class="in stack tight">${why}${evidence && reasonList(context, file, evidence)}${facts}${assignForm(context, waiting)}${resume}${link}</div>`,
  );
}

/** Decisions so far: the first of two people's, or those that ended the case. */
function decided(context: ScreenContext, file: File): Html | null {
  const { translate } = context;
  const list = decisionList(context, file);
  const maySee = may(context, [...PLATFORM_SCOPES, 'admin']);
  // A case of MED has a history of its own.
  if (!list && (file.waiting || file.medCases.length > 0 || !maySee)) return null;
  return section(
    'decisions',
    translate('decisionsTitle'),
    html`<div class="in">${list ?? html`<p class="soft small">${translate('noDecision')}</p>`}</div>`,
  );
}

/** Hits of screening and identity checks, those first that the case is about. */
function findings(
  context: ScreenContext,
  {
    file: { kind, reference },
    evidence: { hits, customerCases },
    now,
  }: Shown & { readonly evidence: Evidence },
): Html {
  const cards = customerCases.map((each) =>
    customerCaseCard(context, each, {
      isSubject: kind === 'CUSTOMER_CASE' && each.caseId === reference,
      now,
    }),
  );
  return html`${hits.map((hit) => hitCard(context, hit))}${cards}`;
}

function caseActions(
  context: ScreenContext,
  { transaction, suspense }: File,
  approval: NonNullable<ReviewCaseQuery['approvals']>[number] | undefined,
): Html | null {
  if (transaction) return actionForms(context, transaction, approval);
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

/** Its time axis; of another account, without its logs. */
function story(context: ScreenContext, found: NonNullable<File['transaction']>, isOwn: boolean): Html {
  const happened = happenings(context, found, {}, isOwn);
  return section(
    'story',
    context.translate('whatHappened'),
    html`<div class="in">${axisOf(context, happened)}</div>`,
  );
}
