/** History of a transaction on one time axis: steps, journals, returns, webhooks, actions, calls of the API. */
import { axis, type Happening as Shown } from '../../ui/axis.ts';
import { type Html, html } from '../../ui/html.ts';
import { more } from '../../ui/parts.ts';
import { nearText, timeText } from '../../ui/times.ts';
import { mayDo, type ScreenContext } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { actionText } from '../words/actions.ts';
import { translateName } from '../words.ts';
import { fullTime, listTime, money, toneOf } from './figures.ts';
import { actionForm } from './form.ts';
import { journalsOf, journalTable } from './journal.ts';

/** Kinds of history entries, by their names in the screen's address. */
export const KINDS = ['steps', 'money', 'webhooks', 'acts', 'calls'] as const;

/** A member of KINDS. */
export type Kind = (typeof KINDS)[number];

type Found = NonNullable<TransactionQuery['transaction']>;
type Delivery = Found['deliveries'][number];

/** Log entries about the transaction, for people who may read the logs of its account. */
type Logs = Partial<Pick<TransactionQuery, 'auditLog' | 'requestLog'>>;

/** Something that happened. */
export interface Happening extends Omit<Shown, 'when'> {
  readonly at: string;
  readonly kind: Kind;
}

/** @param isOwn - whether the reader acts on the account of the transaction. @returns everything that happened, in order. */
export function happenings(
  context: ScreenContext,
  found: Found,
  data: Logs,
  isOwn = true,
): readonly Happening[] {
  const all = [
    ...steps(context, found),
    ...postings(context, found, isOwn),
    ...returns(context, found),
    ...found.deliveries.flatMap((delivery) => attempts(context, delivery)),
    ...actionEntries(context, data),
    ...calls(context, data),
  ];
  return all.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

/** @param style - name of the part of the page; it stays the same when the page is updated. @returns the axis. */
export function axisOf(
  { translate, language }: ScreenContext,
  happened: readonly Happening[],
  style: 'axis' | 'folded' = 'axis',
): Html {
  const dayOf = ({ at }: Happening) => timeText(Date.parse(at), language, 'day');
  const shown = happened.map((each, index) => {
    const before = happened[index - 1];
    const isNewDay = before === undefined || dayOf(before) !== dayOf(each);
    return {
      ...each,
      when: isNewDay ? listTime(each.at, language, 'millis') : fullTime(each.at, language, 'millis'),
    };
  });
  return html`<div data-live="${style}">${axis(translate(style === 'axis' ? 'whatHappened' : 'webhooks'), shown)}</div>`;
}

const SIGNS = { good: 'done', info: 'waiting', idle: 'clock', warn: 'warning', bad: 'failed' } as const;

function steps({ translate, language }: ScreenContext, { events }: Found): Happening[] {
  return events.map((event) => {
    const { occurredAt, name, sequence, headline } = event;
    const tone = toneOf(event);
    return {
      at: occurredAt,
      kind: 'steps',
      tone,
      sign: SIGNS[tone],
      what: headline[language],
      note: `${translate('eventNumber', { number: String(sequence) })}, ${name}`,
    };
  });
}

function postings(context: ScreenContext, { ledgerLines }: Found, isOwn: boolean): Happening[] {
  return journalsOf(ledgerLines).map((journal) => ({
    at: journal.date,
    kind: 'money',
    tone: 'good',
    sign: 'bank',
    what: context.translate('journal', { id: journal.id }),
    note: [...new Set(journal.lines.map(({ ledgerAccount }) => ledgerAccount.currency.displayName))].join(
      ', ',
    ),
    more: journalTable(context, journal, isOwn),
  }));
}

function returns({ translate, language }: ScreenContext, { refunds }: Found): Happening[] {
  return refunds.map(({ amount, state, requestedAt, endedAt, reference }) => ({
    at: endedAt ?? requestedAt,
    kind: 'money',
    tone: state === 'FAILED' ? 'bad' : 'warn',
    sign: 'returned',
    what: translate('returned', { amount: money(amount, language), state: translateName(translate, state) }),
    note: reference ?? '',
  }));
}

function attempts(context: ScreenContext, delivery: Delivery): Happening[] {
  const { translate, language } = context;
  const { endpoint, event, deliveryId: id, state, nextAttemptAt } = delivery;
  const attempts = delivery.attempts.map(
    ({ at, attempt, status, durationMs, error, answer }, index): Happening => {
      const isLast = index === delivery.attempts.length - 1;
      const isSuccess = status != null && status < 300;
      const result = status == null ? (error ?? translate('noAnswer')) : String(status);
      return {
        at,
        kind: 'webhooks',
        tone: isSuccess ? 'good' : 'bad',
        sign: 'bolt',
        what: translate('attempt', { attempt: String(attempt), result, ms: String(durationMs) }),
        note: `${translate('toUrl', { url: endpoint.url })}, ${event?.name ?? ''}`,
        more: html`${exchange(translate('requestAndAnswer'), event?.legacyBody ?? '', `${status ?? ''} ${answer ?? error ?? ''}`)}
${isLast && mayDo(context, 'redeliverWebhook') && actionForm(context, { action: 'RedeliverWebhook', preset: { id }, button: translate('redeliver'), kind: 'pill' })}`,
      };
    },
  );
  if (state !== 'PENDING' || !nextAttemptAt) return attempts;
  const waits: Happening = {
    at: nextAttemptAt,
    kind: 'webhooks',
    tone: 'idle',
    sign: 'bolt',
    what: translate('waitsFor', { time: nearText(Date.parse(nextAttemptAt), language, 'second') }),
    note: translate('toUrl', { url: endpoint.url }),
  };
  return [...attempts, waits];
}

function exchange(title: string, request: string, answer: string): Html {
  return more(title, html`<pre tabindex="0">${request}\n\n${answer.trim()}</pre>`, { class: 'card' });
}

function actionEntries({ translate, language }: ScreenContext, { auditLog }: Logs): Happening[] {
  return (auditLog?.nodes ?? []).map(
    ({ at, act: action, actorKind, actorId, actorName, address, requestId }) => ({
      at,
      kind: 'acts',
      tone: 'idle',
      sign: 'person',
      what: actionText(action, language),
      note: [
        translateName(translate, actorKind, { id: actorName ?? actorId }),
        address,
        requestId && `${translate('reference')} ${requestId}`,
      ]
        .filter(Boolean)
        .join(', '),
    }),
  );
}

function calls({ translate }: ScreenContext, { requestLog }: Logs): Happening[] {
  return (requestLog?.nodes ?? []).map((call) => ({
    at: call.at,
    kind: 'calls',
    tone: call.status >= 400 || call.errorCode ? 'warn' : 'idle',
    sign: 'code',
    what: translate('call', {
      route: `${call.method} ${call.route}${call.operationName ? ` ${call.operationName}` : ''}`,
      status: call.errorCode ?? String(call.status),
      ms: String(call.durationMs),
    }),
    note: `${translate('KEY', { id: call.actorName ?? call.actorId })}, ${translate('reference')} ${call.requestId}`,
  }));
}
