/** Cases of the review queue: their addresses, subjects and assignees, and the forms that assign or release a case. */

import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { dayText, nearText } from '../../ui/times.ts';
import { pathTo, type ScreenContext } from '../context.ts';
import type { CaseRowFragment as Case, ReviewKind } from '../generated/graphql.ts';
import { translateName, type Word } from '../words.ts';
import { listTime } from './figures.ts';
import { actionForm } from './form.ts';

/** Screen that handles a kind of cases; null if the case itself has the forms, or no screen has any. */
export const SCREEN_OF: Readonly<
  Record<
    ReviewKind,
    ((reference: string, account: string | null) => readonly [path: string, word: Word]) | null
  >
> = {
  HOLD: null,
  STEP_UP: null,
  CUSTOMER_CASE: null,
  SCREENING_HIT: null,
  DISPUTE: null,
  MED_CASE: null,
  FAILED_REFUND: null,
  HELD_DEPOSIT: null,
  SUSPENSE: null,
  OUTFLOW_CEILING: null,
  APPROVAL: null,
  FAILING_ENDPOINT: () => [pathTo('/developers'), 'developers'],
  JOURNAL: () => [`${pathTo('/books')}#manual`, 'books'],
  PRICE_PROPOSAL: (_template, account) => [`${pathTo(`/accounts/${account}`)}#settings`, 'holders'],
  UNCLOSED_DAY: (day) => [`${pathTo('/books', { close: day })}#close-day`, 'books'],
  OPEN_RECONCILIATION: (reference) => {
    const [rail = '', day = ''] = reference.split('/');
    return [pathTo('/reconciliation', { rail, day }), 'reconciliation'];
  },
  BOOK_DEFECT: null,
  UNKNOWN_PAYMENT: null,
  UNDECIDED_ORDER: () => [pathTo('/rails'), 'rails'],
  PAUSED_NETWORK: () => [pathTo('/rails'), 'rails'],
};

/** @returns the address of a case. */
export function caseHref(caseKey: string): string {
  return pathTo('/review/case', { id: caseKey });
}

/** @returns the link to the case that decides about a transaction. */
export function decideLink(
  { translate }: ScreenContext,
  kind: ReviewKind,
  account: string,
  { end2end, clientName }: { readonly end2end: string; readonly clientName: string | null },
): Html {
  const name = html`<span class="unseen"> ${clientName ?? end2end}</span>`;
  return html`<a class="btn pill" href="${caseHref(`${kind}:${account}:${end2end}`)}">${translate('decide')}${name}</a>`;
}

/** @returns the subject of a case, in a few words. */
export function aboutText({ translate, language }: ScreenContext, { kind, detail, reference }: Case): string {
  if (kind === 'UNCLOSED_DAY') return dayText(reference, language);
  if (kind === 'OPEN_RECONCILIATION') {
    const [rail = '', day = ''] = reference.split('/');
    return `${rail === 'pix' ? translate('PIX') : rail}, ${dayText(day, language)}`;
  }
  if (kind === 'PAUSED_NETWORK') return [reference, detail].filter(Boolean).join(': ');
  if (kind === 'PRICE_PROPOSAL') return translateName(translate, `template_${reference}`);
  return detail ? shortened(translateName(translate, detail)) : reference;
}

/** An address is recognised by its two ends. */
function shortened(text: string): string {
  return text.length > 30 && !/[\s/]/.test(text) ? `${text.slice(0, 6)}…${text.slice(-6)}` : text;
}

/** @returns the due time of a case, marked if it has passed. */
export function dueText(
  { translate, language }: ScreenContext,
  dueAt: string | null,
  now: string,
): Html | null {
  if (dueAt === null) return null;
  if (dueAt >= now) return listTime(dueAt, language);
  return badge('bad', translate('overdue', { time: nearText(Date.parse(dueAt), language, 'minute') }));
}

/** @returns the assignee of a case. */
export function assigneeText({ translate }: ScreenContext, { isMine, assignee, assigneeName }: Case): string {
  if (isMine) return translate('assignedMe');
  return assignee === null ? translate('assignedNobody') : (assigneeName ?? assignee);
}

/** @returns the form that assigns a case to the person, or releases it. */
export function assignForm(context: ScreenContext, { caseKey, isMine, assignee }: Case): Html | null {
  const { translate } = context;
  const preset = { id: caseKey };
  if (isMine)
    return actionForm(context, {
      action: 'ReleaseReviewCase',
      preset,
      button: translate('giveBackCase'),
      kind: 'pill quiet',
    });
  const button = translate(assignee === null ? 'takeCase' : 'fromColleague');
  return actionForm(context, { action: 'AssignReviewCase', preset, button, kind: 'pill' });
}

/** @returns the name of a case's kind. */
export function kindText({ translate }: ScreenContext, kind: ReviewKind): string {
  return translate(`review_${kind}`);
}

/** @returns the reason for which cases of the kind wait. */
export function whyText({ translate }: ScreenContext, kind: ReviewKind): Html {
  return html`${translate(`why_${kind}`)}`;
}
