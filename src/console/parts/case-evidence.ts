/** Evidence of a case: the customer, the identity check and the hits of screening, with the decisions about each. */
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, idPair, keyValues, more, pair, type Tone } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type {
  CaseToDecideFragment as CustomerCase,
  HitToDecideFragment as Hit,
  ReviewCaseQuery,
} from '../generated/graphql.ts';
import { translateName, type Word } from '../words.ts';
import { caseHref } from './cases.ts';
import { inBrl, listTime } from './figures.ts';
import { disclosedForm, reasonField } from './form.ts';
import { freezeForm, frozenMark } from './freeze-customer.ts';
import { section } from './lists.ts';
import { secondPersonNote } from './second-person.ts';

/** Evidence as the document requests it. */
export type Evidence = NonNullable<ReviewCaseQuery['reviewEvidence']>;

const CASE_TONES: Readonly<Record<CustomerCase['state'], Tone>> = {
  OPEN: 'warn',
  PENDING: 'info',
  APPROVED: 'good',
  DENIED: 'bad',
  RETRY: 'info',
  REVIEW: 'warn',
  EXPIRED: 'idle',
  FROZEN: 'bad',
};
const HIT_TONES = { OPEN: 'warn', DISMISSED: 'good', CONFIRMED: 'bad' } as const;

/** A decision as a form: its document, and the prefix of the names of its texts. */
type Decision = readonly [action: string, word: 'approveCase' | 'denyCase' | 'retryCase' | 'freezeCase'];

const APPROVE: Decision = ['ApproveCase', 'approveCase'];
const DENY: Decision = ['DenyCase', 'denyCase'];
const OTHERS: readonly Decision[] = [
  ['RetryCase', 'retryCase'],
  ['FreezeCase', 'freezeCase'],
];

/**
 * @param file - the case; one about the identity check itself has its own form to freeze.
 * @returns the customer with limits and volumes; null without a customer.
 */
export function customerCard(
  context: ScreenContext,
  { account, kind }: Pick<NonNullable<ReviewCaseQuery['reviewCase']>, 'account' | 'kind'>,
  evidence: Evidence,
): Html | null {
  const { translate, language } = context;
  const { customer, figures, customerCases } = evidence;
  const [known] = customerCases;
  const taxId = known?.taxId ?? customer?.taxId;
  const frozen = customerCases.find(({ state }) => state === 'FROZEN');
  const freeze =
    account && taxId && kind !== 'CUSTOMER_CASE' ? freezeForm(context, { account, taxId }) : null;
  if (!customer && !known) return null;
  const total = (volume: { readonly open: string; readonly paid: string }) =>
    inBrl(sum([volume.open, volume.paid]), language);
  const shown = keyValues(
    [
      pair(translate('name'), customer?.names.at(-1) ?? known?.name),
      pair(translate('clientTaxId'), taxId && formatTaxId(taxId)),
      pair(translate('kind'), known && translate(`customer_${known.kind}`)),
      pair(translate('level'), customer && translate(`level_${customer.level}`)),
      pair(translate('firstSeen'), customer && listTime(customer.firstSeenAt, language)),
      pair(translate('volumeToday'), figures && total(figures.today)),
      pair(translate('set_customerLimitDaily'), figures && inBrl(figures.limitDaily, language)),
      pair(translate('volume30'), figures && total(figures.last30Days)),
      pair(translate('set_customerStepUp30d'), figures && inBrl(figures.stepUp30d, language)),
    ],
    true,
  );
  const freezing = frozen ? html`<p>${frozenMark(context, frozen)}</p>` : freeze;
  return section('customer', translate('customer'), html`<div class="in stack">${shown}${freezing}</div>`);
}

/** @returns the identity check of a customer, with its whole history if the case is about it. */
export function customerCaseCard(
  context: ScreenContext,
  found: CustomerCase,
  { isSubject, now }: { readonly isSubject: boolean; readonly now: string },
): Html {
  const { translate, language } = context;
  const { state, provider, reference, reasons, score, attempts, validUntil, decidedAt } = found;
  const shown = keyValues(
    [
      pair(translate('status'), badge(CASE_TONES[state], translate(`caseState_${state}`))),
      pair(translate('level'), translate(`level_${found.level}`)),
      pair(translate('checkedBy'), provider ?? translate('checkedByPeople')),
      idPair(translate('providerReference'), reference),
      pair(translate('providerReasons'), reasons?.join(', ')),
      pair(translate('score'), score),
      pair(translate('attempts'), String(attempts)),
      pair(translate('validUntil'), validUntil && listTime(validUntil, language)),
      pair(translate('decidedAt'), decidedAt && listTime(decidedAt, language)),
    ],
    true,
  );
  const rest = isSubject
    ? html`${caseForms(context, found, now)}${history(context, found)}`
    : html`<p><a class="go" href="${caseHref(`CUSTOMER_CASE:${found.account}:${found.caseId}`)}">${translate('openCheck')}</a></p>`;
  return section(
    `check-${found.caseId}`,
    translate('identityCheck'),
    html`<div class="in stack">${shown}${rest}</div>`,
  );
}

/** Decisions that the state allows now; the server checks them again. */
function caseForms(context: ScreenContext, found: CustomerCase, now: string): Html | null {
  const { state, isLateDenial, validUntil } = found;
  if (state === 'FROZEN')
    return secondPersonNote(context, found.secondPersonBar) ?? unfreezeForm(context, found);
  const isValid = state === 'APPROVED' && validUntil !== null && validUntil > now;
  const decisions = [
    ...(isValid ? [] : [APPROVE]),
    ...(state === 'DENIED' && !isLateDenial ? [] : [DENY]),
    ...OTHERS,
  ];
  return rowOf(decisions.map(([action, word]) => decision(context, action, found.caseId, word)));
}

function unfreezeForm(context: ScreenContext, found: CustomerCase): Html | null {
  const { translate } = context;
  const who = found.unfreezeRequestedByName ?? found.unfreezeRequestedBy;
  const what = who === null ? translate('unfreezeCaseWhat') : translate('unfreezeCaseAgain', { who });
  return rowOf([decision(context, 'UnfreezeCase', found.caseId, 'unfreezeCase', what)]);
}

/** @returns a hit of screening, with the decisions about an open one. */
export function hitCard(context: ScreenContext, hit: Hit): Html {
  const { translate, language } = context;
  const shown = keyValues(
    [
      pair(translate('status'), badge(HIT_TONES[hit.state], translate(`hit_${hit.state}`))),
      pair(translate(`role_${hit.role}` as Word), hit.subjectName),
      pair(translate('clientTaxId'), hit.taxId && formatTaxId(hit.taxId)),
      idPair(translate('addressCompared'), hit.address),
      pair(translate('hitEntryName'), html`<b>${hit.entryName}</b>`),
      pair(translate('hitList'), hit.version ? `${hit.list} (${hit.version})` : hit.list),
      idPair(translate('hitEntry'), hit.entry),
      pair(translate('score'), `${hit.score} · ${translate(`strength_${hit.strength}`)}`),
      pair(translate('hitAnswer'), translate(`answer_${hit.answer}`)),
      pair(translate('opened'), listTime(hit.raisedAt, language)),
      pair(translate('decidedBy'), hit.decidedByName ?? hit.decidedBy),
      pair(translate('decidedAt'), hit.decidedAt && listTime(hit.decidedAt, language)),
      pair(translate('reason'), hit.reason),
    ],
    true,
  );
  const forms =
    hit.state === 'OPEN' &&
    rowOf([
      decision(context, 'DismissScreeningHit', hit.hitId, 'dismissHit'),
      decision(context, 'ConfirmScreeningHit', hit.hitId, 'confirmHit'),
    ]);
  return section(
    `hit-${hit.hitId}`,
    translate('screeningHit'),
    html`<div class="in stack">${shown}${forms}</div>`,
  );
}

const DANGERS: readonly string[] = ['denyCase', 'freezeCase', 'confirmHit'];

function decision(
  context: ScreenContext,
  action: string,
  id: string,
  word: Decision[1] | 'unfreezeCase' | 'dismissHit' | 'confirmHit',
  what = context.translate(`${word}What`),
): Html | null {
  const { translate } = context;
  const preset = { id };
  return disclosedForm(context, {
    action,
    preset,
    open: translate(word),
    what,
    button: translate(`${word}Yes`),
    kind: DANGERS.includes(word) ? 'danger' : '',
    fields: reasonField(context, action, preset),
  });
}

/** @returns forms side by side; null for a session that may send none of them. */
function rowOf(forms: readonly (Html | null)[]): Html | null {
  return forms.some((form) => form !== null) ? html`<div class="row">${forms}</div>` : null;
}

/** Requests, answers and decisions, newest first. */
function history({ translate, language }: ScreenContext, { evidence }: CustomerCase): Html | null {
  if (!evidence?.length) return null;
  const entries = evidence.map(({ at, event, decision: decided, actor, actorName, reason }) => {
    const answer =
      decided &&
      event === 'answered' &&
      `: ${translateName(translate, `caseState_${decided.toUpperCase()}`)}`;
    const who = actor === null ? null : html` · ${actorName ?? actor}`;
    return html`<li><b>${translateName(translate, `caseEvent_${event}`)}${answer}</b> <small>${listTime(at, language)}${who}</small>${reason && html`<br><small class="soft">${reason}</small>`}</li>`;
  });
  return more(translate('caseHistory'), html`<ol class="stack tight">${entries}</ol>`);
}
