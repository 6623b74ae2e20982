/** Reasons for which a case waits, from its evidence; and the decisions of people about it. */
import { sum } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { ReviewCaseQuery } from '../generated/graphql.ts';
import { actionText } from '../words/actions.ts';
import type { Evidence } from './case-evidence.ts';
import { inBrl, listTime } from './figures.ts';

type File = NonNullable<ReviewCaseQuery['reviewCase']>;

/** @returns the reasons as a list; null without the right to see evidence, and if no reason is known. */
export function reasonList(context: ScreenContext, { kind, waiting }: File, evidence: Evidence): Html | null {
  if (!waiting) return null;
  const reasons = [
    ...stops(context, evidence),
    ...hitReasons(context, evidence),
    ...caseReasons(context, evidence),
    ...limitReasons(context, evidence),
  ];
  const isStopped = kind === 'HOLD' || kind === 'STEP_UP';
  const shown = reasons.length === 0 && isStopped ? [context.translate('whyUnknown')] : reasons;
  return shown.length > 0
    ? html`<ul class="stack tight">${shown.map((each) => html`<li>${each}</li>`)}</ul>`
    : null;
}

function stops({ translate }: ScreenContext, evidence: Evidence): readonly string[] {
  const { isFrozen, releaseRequestedBy, releaseRequestedByName } = evidence;
  if (!isFrozen) return [];
  const who = releaseRequestedByName ?? releaseRequestedBy;
  return [translate('whyFrozen'), ...(who === null ? [] : [translate('whyReleased', { who })])];
}

function hitReasons({ translate }: ScreenContext, { hits }: Evidence): readonly string[] {
  return hits
    .filter(({ state }) => state !== 'DISMISSED')
    .map(({ subjectName, address, taxId, entryName, list, entry, score }) => {
      const subject = subjectName ?? address ?? taxId ?? '';
      return translate('whyHit', { subject, name: entryName, list, entry, score });
    });
}

function caseReasons(
  { translate, language }: ScreenContext,
  { customerCases }: Evidence,
): readonly (string | Html)[] {
  return customerCases.flatMap<string | Html>(
    ({ state, provider, reasons, attempts, updatedAt, isLateDenial }) => {
      const name = provider ?? translate('checkedByPeople');
      const why = reasons?.length ? reasons.join(', ') : translate('noReasonGiven');
      if (state === 'FROZEN') return [translate('whyCustomerFrozen')];
      if (isLateDenial) return [translate('whyLateDenial', { provider: name, why })];
      if (state === 'REVIEW') return [translate('whyInReview', { provider: name, why })];
      if (state === 'OPEN' && provider === null) return [translate('whyNoProvider')];
      if (state === 'OPEN' || state === 'PENDING' || state === 'RETRY')
        return [
          html`${translate('whyWaitsForProvider', { provider: name, attempt: String(attempts) })} ${listTime(updatedAt, language)}`,
        ];
      return [];
    },
  );
}

function limitReasons({ translate, language }: ScreenContext, evidence: Evidence): readonly string[] {
  const { figures, isOverDaily, isOver30Days } = evidence;
  if (!figures) return [];
  const { today, last30Days, limitDaily, stepUp30d } = figures;
  return [
    ...(isOverDaily
      ? [translate('whyOverDaily', { paid: inBrl(today.paid, language), limit: inBrl(limitDaily, language) })]
      : []),
    ...(isOver30Days
      ? [
          translate('whyOver30', {
            volume: inBrl(sum([last30Days.open, last30Days.paid]), language),
            limit: inBrl(stepUp30d, language),
          }),
        ]
      : []),
  ];
}

/** @returns decisions of people with author, time and reason, newest first; null if no person decided. */
export function decisionList({ translate, language }: ScreenContext, { decisions }: File): Html | null {
  if (decisions.length === 0) return null;
  const entries = decisions.map((entry) => {
    const { at, act: action, actorId, actorName } = entry;
    const { reason } = factsOf(entry.after);
    const request = isRequest(entry) && html` <span class="soft">${translate('waitsForSecond')}</span>`;
    return html`<li><b>${actionText(action, language)}</b>${request} <small>${actorName ?? actorId} · ${listTime(at, language)}</small>${reason && html`<br>${reason}`}</li>`;
  });
  return html`<ol class="stack tight" data-live="decisions">${entries}</ol>`;
}

type Decision = Pick<File['decisions'][number], 'act' | 'before' | 'after'>;
type Facts = Readonly<Partial<Record<'reason' | 'step' | 'unfreezeBy' | 'proposed', string>>> & {
  readonly proposal?: object | null;
};

function factsOf(logged: unknown): Facts {
  return (logged ?? {}) as Facts;
}

/** Whether it is the first of two required decisions, which changes nothing yet. */
function isRequest({ act: action, before, after }: Decision): boolean {
  const now = factsOf(after);
  if (action === 'hold.release') return now.step === factsOf(before).step;
  if (action === 'settings.update_template') return now.proposal != null;
  return (
    (action === 'case.unfreeze' && 'unfreezeBy' in now) || (action === 'suspense.assign' && 'proposed' in now)
  );
}
