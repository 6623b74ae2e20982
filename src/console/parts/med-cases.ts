/** Cases of MED on the screen of a case: what is due and blocked, files, answers, the forms that answer, and the history. */
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, idPair, keyValues, pair } from '../../ui/parts.ts';
import { may, type ScreenContext } from '../context.ts';
import type { MedCasePartsFragment as Case } from '../generated/graphql.ts';
import { MED_EVENTS } from '../words/med.ts';
import { dueText } from './cases.ts';
import { inBrl, moment, money } from './figures.ts';
import { actForm, askedForm, field } from './form.ts';
import { section } from './lists.ts';

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
  const { say } = context;
  const title = `${say(`med_${found.kind}`)}: ${found.reference}`;
  return section(
    `med-${found.caseId}`,
    title,
    html`<div class="in stack">${facts(context, found, now)}${files(context, found)}${answers(context, found)}${forms(context, found)}${history(context, found)}</div>`,
  );
}

function facts(context: ScreenContext, found: Case, now: string): Html | null {
  const { say, language } = context;
  const { state, dueAt, openedAt, amount, blocked, reason, pixE2e } = found;
  return keyValues(
    [
      pair(say('status'), badge(STATE_TONES[state], say(`medState_${state}`))),
      pair(say('medDue'), state === 'OPEN' ? dueText(context, dueAt, now) : moment(dueAt, language)),
      pair(say('medBlocked'), blocked ? money(blocked, language) : say('medNothing')),
      pair(say('amount'), amount ? inBrl(amount, language) : say('medAllLeft')),
      pair(say('reason'), reason),
      pair(say('opened'), moment(openedAt, language)),
      idPair(say('medE2e'), pixE2e),
    ],
    true,
  );
}

function files({ say }: ScreenContext, { files: held }: Case): Html {
  if (held.length === 0) return html`<p class="soft small">${say('medNoFiles')}</p>`;
  return html`<h3>${say('medFiles')}</h3><ul class="stack tight">${held.map(
    ({ fileId, name, size, sha256, isEvidence }) =>
      html`<li><a href="${CONSOLE_PATH}/files/${fileId}" download>${name}</a> <small>${isEvidence && html`${say('medEvidence')} · `}${say('medBytes', { count: String(size) })}<br>SHA-256 <code>${sha256}</code></small></li>`,
  )}</ul>`;
}

function answers({ say, language }: ScreenContext, { answers: given }: Case): Html | null {
  if (given.length === 0) return null;
  return html`<h3>${say('medAnswers')}</h3><ul class="stack tight">${given.map(
    ({ analysis, body, state, failure, givenAt, author, authorName }) =>
      html`<li><p><b>${say(`medAnalysis_${analysis}`)}</b> ${badge(state === 'SENT' ? 'good' : state === 'PENDING' ? 'info' : 'bad', say(`medAnswer_${state}`))}</p><p>${body}</p>${failure && html`<p class="small soft">${failure}</p>`}<small>${authorName ?? author} · ${moment(givenAt, language)}</small></li>`,
  )}</ul>`;
}

/** Forms of an open case; of an answer that is on its way none. */
function forms(context: ScreenContext, found: Case): Html | null {
  const isUnderWay = found.answers.some(({ state }) => state === 'PENDING' || state === 'SENT');
  const isOpen = found.state === 'OPEN' && !isUnderWay;
  return html`${isOpen && html`${evidenceForm(context, found)}${attachForm(context, found)}${answerForm(context, found)}`}${outcomeForm(context, found)}`;
}

function evidenceForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { say, language } = context;
  return actForm(context, {
    act: 'MakeMedEvidence',
    given: { id, language: language.toUpperCase() },
    button: say('medMakeEvidence'),
    kind: 'pill',
  });
}

function attachForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { say } = context;
  const given = { id };
  const file = {
    name: 'content',
    label: say('medFile'),
    hint: say('medFileHint'),
    type: 'file',
    isRequired: true,
  } as const;
  return actForm(context, {
    act: 'AttachMedFile',
    given,
    button: say('medAttach'),
    kind: 'pill',
    hasFile: true,
    fields: field(context, 'AttachMedFile', file, given),
  });
}

function answerForm(context: ScreenContext, { caseId: id }: Case): Html | null {
  const { say } = context;
  const given = { id };
  const options = ANALYSES.map((each) => [each, say(`medAnalysis_${each}`)] as const);
  const body = {
    name: 'body',
    label: say('medText'),
    hint: say('medTextHint'),
    type: 'lines',
    isRequired: true,
  } as const;
  return askedForm(context, {
    act: 'AnswerMedCase',
    given,
    open: say('medAnswer'),
    what: say('medAnswerWhat'),
    button: say('medAnswerYes'),
    fields: html`${field(context, 'AnswerMedCase', { name: 'analysis', label: say('medAnalysis'), options }, given)}${field(context, 'AnswerMedCase', body, given)}`,
  });
}

/** The decision of a dispute comes from the provider alone. */
function outcomeForm(context: ScreenContext, { caseId: id, kind, state }: Case): Html | null {
  const isDecided = state !== 'OPEN' && state !== 'ANSWERED';
  const possible = OUTCOMES.filter((each) =>
    each === 'ANSWERED' ? state === 'OPEN' : kind === 'INFRACTION',
  );
  if (isDecided || possible.length === 0 || !may(context, 'platform:risk')) return null;
  const { say } = context;
  const given = { id };
  const options = possible.map((each) => [each, say(`medState_${each}`)] as const);
  const reason = { name: 'reason', label: say('reason'), hint: say('medOutcomeHint'), isRequired: true };
  return askedForm(context, {
    act: 'RecordMedOutcome',
    given,
    open: say('medOutcome'),
    what: say('medOutcomeWhat'),
    button: say('medOutcomeYes'),
    fields: html`${field(context, 'RecordMedOutcome', { name: 'outcome', label: say('medOutcomeField'), options }, given)}${field(context, 'RecordMedOutcome', reason, given)}`,
  });
}

function history({ say, language }: ScreenContext, { history: told }: Case): Html {
  const entries = told.map(({ at, event, actor, actorName, detail }) => {
    const word = MED_EVENTS[event]?.[language] ?? event;
    const who = actor === null || actor === undefined ? null : html` · ${actorName ?? actor}`;
    return html`<li><b>${word}</b> <small>${moment(at, language)}${who}</small>${detail && html`<br><small class="soft">${detail}</small>`}</li>`;
  });
  return html`<h3>${say('medHistory')}</h3><ol class="stack tight">${entries}</ol>`;
}
