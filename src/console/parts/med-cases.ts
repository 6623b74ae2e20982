/** MED cases on the screen of a case: amounts and deadlines, files, answers, the forms that answer, and the history. */
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { MED_EVENT_LABELS } from '../../ui/case-labels.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, idPair, keyValues, pair } from '../../ui/parts.ts';
import { may, type ScreenContext } from '../context.ts';
import type { MedCasePartsFragment as Case } from '../generated/graphql.ts';
import { dueText } from './cases.ts';
import { inBrl, listTime, money } from './figures.ts';
import { actionForm, disclosedForm, field } from './form.ts';
import { count, section } from './lists.ts';

const STATE_TONES = {
  OPEN: 'warn',
  ANSWERED: 'info',
  ACCEPTED: 'bad',
  REJECTED: 'good',
  CANCELLED: 'good',
} as const;
const ANALYSES = ['CONTEST', 'AGREE'] as const;
const OUTCOMES = ['ANSWERED', 'ACCEPTED', 'REJECTED', 'CANCELLED'] as const;

/** @param now - time of the account. @returns a section for each case. */
export function medCases(context: ScreenContext, cases: readonly Case[], now: string): Html {
  return html`${cases.map((each) => medCase(context, each, now))}`;
}

function medCase(context: ScreenContext, found: Case, now: string): Html {
  const { translate } = context;
  const title = `${translate(`med_${found.kind}`)}: ${found.reference}`;
  return section(
    `med-${found.caseId}`,
    title,
    html`<div class="in stack">${facts(context, found, now)}${files(context, found)}${answers(context, found)}${forms(context, found)}${history(context, found)}</div>`,
  );
}

function facts(context: ScreenContext, found: Case, now: string): Html | null {
  const { translate, language } = context;
  const { state, dueAt, openedAt, amount, blocked, reason, pixE2e } = found;
  return keyValues(
    [
      pair(translate('status'), badge(STATE_TONES[state], translate(`medState_${state}`))),
      pair(translate('medDue'), state === 'OPEN' ? dueText(context, dueAt, now) : listTime(dueAt, language)),
      pair(translate('medBlocked'), blocked ? money(blocked, language) : translate('medNothing')),
      pair(translate('amount'), amount ? inBrl(amount, language) : translate('medAllLeft')),
      pair(translate('reason'), reason),
      pair(translate('opened'), listTime(openedAt, language)),
      idPair(translate('medE2e'), pixE2e),
    ],
    true,
  );
}

function files({ translate, language }: ScreenContext, { files: held }: Case): Html {
  if (held.length === 0) return html`<p class="soft small">${translate('medNoFiles')}</p>`;
  return html`<h3>${translate('medFiles')}</h3><ul class="stack tight">${held.map(
    ({ fileId, name, size, sha256, isEvidence }) =>
      html`<li><a href="${CONSOLE_PATH}/files/${fileId}" download>${name}</a> <small>${isEvidence && html`${translate('medEvidence')} · `}${translate('medBytes', { count: count(size, language) })}<br>SHA-256 <code>${sha256}</code></small></li>`,
  )}</ul>`;
}

function answers({ translate, language }: ScreenContext, { answers: input }: Case): Html | null {
  if (input.length === 0) return null;
  return html`<h3>${translate('medAnswers')}</h3><ul class="stack tight">${input.map(
    ({ analysis, body, state, failure, givenAt: answeredAt, author, authorName }) =>
      html`<li><p><b>${translate(`medAnalysis_${analysis}`)}</b> ${badge(state === 'SENT' ? 'good' : state === 'PENDING' ? 'info' : 'bad', translate(`medAnswer_${state}`))}</p><p>${body}</p>${failure && html`<p class="small soft">${failure}</p>`}<small>${authorName ?? author} · ${listTime(answeredAt, language)}</small></li>`,
  )}</ul>`;
}

/** Forms of an open case; none while an answer is being sent. */
function forms(context: ScreenContext, found: Case): Html | null {
  const isRunning = found.answers.some(({ state }) => state === 'PENDING' || state === 'SENT');
  const isOpen = found.state === 'OPEN' && !isRunning;
  return html`${isOpen && html`${evidenceForm(context, found)}${attachForm(context, found)}${answerForm(context, found)}`}${outcomeForm(context, found)}`;
}

function evidenceForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { translate, language } = context;
  return actionForm(context, {
    action: 'MakeMedEvidence',
    preset: { id, language: language.toUpperCase() },
    button: translate('medMakeEvidence'),
    kind: 'pill',
  });
}

function attachForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { translate } = context;
  const input = { id };
  const file = {
    name: 'content',
    label: translate('medFile'),
    hint: translate('medFileHint'),
    type: 'file',
    isRequired: true,
  } as const;
  return actionForm(context, {
    action: 'AttachMedFile',
    preset: input,
    button: translate('medAttach'),
    kind: 'pill',
    hasFile: true,
    fields: field(context, 'AttachMedFile', file, input),
  });
}

function answerForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { translate } = context;
  const input = { id };
  const options = ANALYSES.map((each) => [each, translate(`medAnalysis_${each}`)] as const);
  const body = {
    name: 'body',
    label: translate('medText'),
    hint: translate('medTextHint'),
    type: 'lines',
    isRequired: true,
  } as const;
  return disclosedForm(context, {
    action: 'AnswerMedCase',
    preset: input,
    open: translate('medAnswer'),
    what: translate('medAnswerWhat'),
    button: translate('medAnswerYes'),
    fields: html`${field(context, 'AnswerMedCase', { name: 'analysis', label: translate('medAnalysis'), options }, input)}${field(context, 'AnswerMedCase', body, input)}`,
  });
}

/** Only the provider decides a dispute. */
function outcomeForm(context: ScreenContext, { caseId: id, kind, state }: Case): Html | null {
  const isDecided = state !== 'OPEN' && state !== 'ANSWERED';
  const possible = OUTCOMES.filter((each) =>
    each === 'ANSWERED' ? state === 'OPEN' : kind === 'INFRACTION',
  );
  if (isDecided || possible.length === 0 || !may(context, 'platform:risk')) return null;
  const { translate } = context;
  const input = { id };
  const options = possible.map((each) => [each, translate(`medState_${each}`)] as const);
  const reason = {
    name: 'reason',
    label: translate('reason'),
    hint: translate('medOutcomeHint'),
    isRequired: true,
  };
  return disclosedForm(context, {
    action: 'RecordMedOutcome',
    preset: input,
    open: translate('medOutcome'),
    what: translate('medOutcomeWhat'),
    button: translate('medOutcomeYes'),
    fields: html`${field(context, 'RecordMedOutcome', { name: 'outcome', label: translate('medOutcomeField'), options }, input)}${field(context, 'RecordMedOutcome', reason, input)}`,
  });
}

/** The position of an answer has a name; any other detail is shown as it is. */
function detailText(translate: ScreenContext['translate'], detail: string): string {
  const analysis = ANALYSES.find((each) => each.toLowerCase() === detail);
  return analysis ? translate(`medAnalysis_${analysis}`) : detail;
}

function history({ translate, language }: ScreenContext, { history: reported }: Case): Html {
  const entries = reported.map(({ at, event, actor, actorName, detail }) => {
    const word = MED_EVENT_LABELS[event]?.[language] ?? event;
    const who = actor === null || actor === undefined ? null : html` · ${actorName ?? actor}`;
    return html`<li><b>${word}</b> <small>${listTime(at, language)}${who}</small>${detail && html`<br><small class="soft">${detailText(translate, detail)}</small>`}</li>`;
  });
  return html`<h3>${translate('medHistory')}</h3><ol class="stack tight">${entries}</ol>`;
}
