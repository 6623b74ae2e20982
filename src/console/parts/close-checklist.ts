/** Daily close as a checklist: each rail reconciled, its balances, suspense and journals settled, then the close. */
import { attributes, type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { dayText } from '../../ui/times.ts';
import { mayPerform, pathTo, type ScreenContext } from '../context.ts';
import type { BooksQuery } from '../generated/graphql.ts';
import { ago } from './figures.ts';
import { actionForm, disclosedForm } from './form.ts';
import { count, section } from './lists.ts';
import { railName } from './rail-name.ts';

type Checklist = BooksQuery['closeChecklist'];
type RailOfDay = Checklist['rails'][number];

/** A line of the list. */
interface Line {
  readonly isDone: boolean;
  readonly what: string;
  readonly more?: Html | string | null;
  /** Link to the screen of this task, or the form that completes it. */
  readonly aside?: Html | null;
}

/**
 * @param isFirst - whether no day is closed yet: then the list of closed days chooses the first one.
 * @returns the checklist of the next day, with the form that closes it; open items do not prevent the close, and are
 * repeated there.
 */
export function closeChecklist(context: ScreenContext, list: Checklist, isFirst: boolean): Html {
  const { translate, language } = context;
  const { day, isOver, rails, suspense, journals } = list;
  const lines = [
    { isDone: isOver, what: translate(isOver ? 'dayIsOver' : 'dayRuns') },
    ...rails.flatMap((rail) => [reconciled(context, day, rail), ...balanced(context, rail)]),
    suspended(context, suspense),
    waiting(context, journals, 'checkJournals', 'checkJournalsNone', '#manual'),
  ];
  const open = lines.filter(({ isDone }) => !isDone).length;
  const what =
    open === 0 ? translate('closeDayWhat') : translate('closeDayOpen', { n: count(open, language) });
  const close =
    isOver &&
    !isFirst &&
    disclosedForm(context, {
      action: 'CloseBooks',
      preset: { day },
      open: translate('closeThisDay', { day: dayText(day, language) }),
      what,
      button: translate('closeBooksYes'),
      kind: open === 0 ? 'primary' : '',
    });
  const title = translate('closeChecklist', { day: dayText(day, language) });
  return section(
    'close-day',
    title,
    html`<ul class="tasks">${lines.map(written)}</ul>${close && html`<div class="in line">${close}</div>`}`,
    open === 0 ? translate('nothingOpen') : translate('openItems', { n: count(open, language) }),
  );
}

function written({ isDone, what, more, aside }: Line): Html {
  return html`<li class="${isDone ? 'good' : 'warn'}"><span class="dot">${icon(isDone ? 'check' : 'warning')}</span><span>${what}${more && html`<small>${more}</small>`}</span>${aside}</li>`;
}

/** Progress of a run, whoever began it; before its first figures it is shown to the person who sends the form. */
function progressOf({ translate, language }: ScreenContext, rail: string, running: RailOfDay['run']): Html {
  const label = translate('reconcileRuns', { rail });
  if (!running) return html`<progress class="sending" aria-label="${label}"></progress>`;
  const { phase, done, total } = running;
  const figures = { done: count(done, language), total: count(total ?? done, language) };
  const bar = attributes({ max: total || null, value: total ? done : null, 'aria-label': label });
  return html`<progress data-run${bar}></progress> <small class="num">${translate(`run_${phase}`, figures)}</small>`;
}

function reconciled(context: ScreenContext, day: string, { rail, report, run: running }: RailOfDay): Line {
  const { translate, language } = context;
  const name = railName(context, rail);
  const run = actionForm(context, {
    action: 'Reconcile',
    preset: { day, rail },
    button: translate(report ? 'reconcileAgain' : 'reconcileNow'),
    kind: 'pill',
    fields: html`<span data-live="run-${rail}">${progressOf(context, name, running)}</span>`,
  });
  if (!report) return { isDone: false, what: translate('notReconciled', { rail: name }), aside: run };
  const { matched, missingHere, missingThere, amountDiffers, detailsDiffer, madeAt } = report;
  const open = missingHere + missingThere + amountDiffers + detailsDiffer;
  const href = pathTo('/reconciliation', { rail, day });
  const link = html`<a href="${href}">${translate('seeFindings')}</a>`;
  const more = html`${translate('matchedEntries', { n: count(matched, language) })}, ${ago(madeAt, language)}${open > 0 && html` · ${link}`}`;
  const what =
    open === 0
      ? translate('reconciledRail', { rail: name })
      : translate('railDiffers', { rail: name, n: count(open, language) });
  return { isDone: open === 0, what, more, aside: run };
}

/** Positions compared with provider and chain, if the report compared them. */
function balanced(context: ScreenContext, { rail, report }: RailOfDay): readonly Line[] {
  const { translate } = context;
  if (!report || report.balances.length === 0) return [];
  const wrong = report.balances.filter(({ agrees }) => !agrees).map(({ currency }) => currency);
  const name = railName(context, rail);
  if (wrong.length === 0) return [{ isDone: true, what: translate('positionsAgree', { rail: name }) }];
  const aside = html`<a class="btn pill" href="${pathTo('/reconciliation', { rail, day: report.day })}">${translate('seeFindings')}</a>`;
  return [
    { isDone: false, what: translate('positionsDiffer', { rail: name }), more: wrong.join(', '), aside },
  ];
}

/** Unidentified payments, which roles without their decision see only as a number. */
function suspended(context: ScreenContext, number: number): Line {
  const line = waiting(
    context,
    number,
    'checkSuspense',
    'checkSuspenseNone',
    pathTo('/review', { kind: 'SUSPENSE' }),
  );
  if (line.isDone || mayPerform(context, 'suspense.assign')) return line;
  return { ...line, more: context.translate('decidedByRisk'), aside: null };
}

function waiting(
  { translate, language }: ScreenContext,
  number: number,
  some: 'checkSuspense' | 'checkJournals',
  none: 'checkSuspenseNone' | 'checkJournalsNone',
  href: string,
): Line {
  if (number === 0) return { isDone: true, what: translate(none) };
  const aside = html`<a class="btn pill" href="${href}">${translate('decideThere')}</a>`;
  return { isDone: false, what: translate(some, { n: count(number, language) }), aside };
}
