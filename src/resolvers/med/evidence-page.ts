/**
 * The evidence pack: one HTML page without scripts, links or anything from elsewhere. The same facts give the same bytes.
 */

import { stepNameOf } from '../../base/ids/step-name.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { returnsOf } from '../../templates/returns.ts';
import {
  CASE_STATE_LABELS,
  LEVEL_LABELS,
  MED_EVENT_LABELS,
  RETURN_STATE_LABELS,
} from '../../ui/case-labels.ts';
import { showAmount, showRate } from '../../ui/figures.ts';
import { type Html, type HtmlValue, html } from '../../ui/html.ts';
import { type Language, TAGS } from '../../ui/language.ts';
import { showTime } from '../../ui/times.ts';
import type { Evidence } from './collect-evidence.ts';
import { EVIDENCE_WORDS, type EvidenceWord } from './evidence-words.ts';

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem;border-bottom:1px solid #999}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;overflow-wrap:anywhere}
th{width:16rem;font-weight:600}`;

type Fact = readonly [name: EvidenceWord, value: HtmlValue];

/** A writer of facts in a language: who reads them works at a bank. */
interface Writer {
  readonly language: Language;
  readonly registry: Registry;
  readonly say: (word: EvidenceWord) => string;
  readonly at: (instant: string) => Html;
  /** An amount with its currency; null without one. */
  readonly amount: (text: string | null | undefined, currency?: string | null) => string | null;
}

/** @returns the page, as HTML text. */
export function evidencePage(evidence: Evidence, registry: Registry, language: Language): string {
  const write: Writer = {
    ...{ language, registry },
    say: (word) => EVIDENCE_WORDS[word][language],
    at: (instant) => showTime(instant, language, 'second'),
    amount: (text, currency = BRL.code) =>
      !text || currency === null ? null : showAmount(text, currencyOfLedger(currency), language),
  };
  const { say: translate } = write;
  const { row } = evidence;
  const body = html`<h1>${translate('title')}</h1><p>${translate('made')}: ${write.at(evidence.at)}</p>
${caseFacts(evidence, write)}${row ? ofTransaction(evidence, row, write) : html`<p>${translate('none')}</p>`}${lists(evidence, write)}`;
  return `<!doctype html>\n${
    html`<html lang="${TAGS[language]}"><head><meta charset="utf-8"><title>${translate('title')} ${evidence.medCase.reference}</title><style>${STYLE}</style></head>
<body>
${body}
</body></html>
`.text
  }`;
}

function caseFacts({ medCase, accountName }: Evidence, { say: translate, at, amount: show }: Writer): Html {
  const { id, reference, kind, reason, amount, openedAt, dueAt, accountId } = medCase;
  return facts(translate, 'case', [
    ['number', String(id)],
    ['reference', reference],
    ['kind', translate(`kind_${kind}`)],
    ['reason', reason],
    ['disputedAmount', show(amount)],
    ['pixE2e', medCase.pixE2e],
    ['opened', at(openedAt)],
    ['due', at(dueAt)],
    ['holder', `${accountName ?? ''} (${accountId})`],
  ]);
}

function ofTransaction(evidence: Evidence, row: ProcessRow, write: Writer): Html {
  return html`${paymentFacts(row, write)}${customerFacts(evidence, row, write)}${screenings(evidence, row, write)}${termFacts(row, write)}${deliveryFacts(row, write)}`;
}

function paymentFacts(
  { pixE2e, process, clientTaxId }: ProcessRow,
  { say: translate, at, amount }: Writer,
): Html {
  const { txid, chargedAt, brCode, paid, paidAt, payerTaxId } = process ?? {};
  const isSame = payerTaxId && clientTaxId ? translate(payerTaxId === clientTaxId ? 'yes' : 'no') : null;
  return facts(translate, 'payment', [
    ['pixE2e', pixE2e],
    ['txid', txid],
    ['charged', chargedAt && at(chargedAt)],
    ['brCode', brCode],
    ['paid', amount(paid)],
    ['paidAt', paidAt && at(paidAt)],
    ['payer', payerTaxId ? formatTaxId(payerTaxId) : translate('unknown')],
    ['isSame', isSame],
  ]);
}

function customerFacts({ identity }: Evidence, { clientName, clientTaxId }: ProcessRow, write: Writer): Html {
  const { say: translate, at, language } = write;
  const checks = identity.map(
    ({ level, state, decidedAt, provider }): Fact => [
      'identity',
      html`${LEVEL_LABELS[level][language]}: ${CASE_STATE_LABELS[state][language]}${provider && html` (${provider})`}${decidedAt && html`, ${at(decidedAt)}`}`,
    ],
  );
  return facts(translate, 'customer', [
    ['name', clientName],
    ['taxId', clientTaxId && formatTaxId(clientTaxId)],
    ...checks,
  ]);
}

/**
 * Screenings without hits, lists of matches or names: the pack can be read by the account, which is told of no match. Held and frozen
 * money look the same for that reason.
 */
function screenings(
  { screenings: rows }: Evidence,
  { process }: ProcessRow,
  { say: translate, at }: Writer,
): Html {
  const { released } = process ?? {};
  const done = rows.map(({ stage, screenedAt, roles, screeners, outcome }) => [
    at(screenedAt),
    translate(`stage_${stage}`),
    roles.map((role) => translate(`role_${role}` as EvidenceWord)).join(', '),
    screeners.join(', '),
    translate(outcome === 'cleared' ? 'cleared' : 'stopped'),
  ]);
  const decided = released ? [[at(released.at), translate('releasedByPerson'), '', '', '']] : [];
  return (
    list(translate('screening'), [...done, ...decided]) ??
    html`<h2>${translate('screening')}</h2><p>${translate('notScreened')}</p>`
  );
}

function termFacts(row: ProcessRow, { say: translate, at, amount, language }: Writer): Html {
  const crypto = row.sourceCurrency === BRL.code ? row.targetCurrency : row.sourceCurrency;
  return facts(translate, 'terms', [
    ['end2end', row.end2end],
    ['external', row.externalCode],
    ['created', at(row.createdAt)],
    ['priced', row.process?.pricedAt && at(row.process.pricedAt)],
    ['quote', row.quote && crypto && showRate(row.quote, currencyOfLedger(crypto), language)],
    ['fees', amount(row.fees)],
    ['source', amount(row.sourceAmount, row.sourceCurrency)],
    ['target', amount(row.targetAmount, row.targetCurrency)],
    ['validUntil', row.expiresAt && at(row.expiresAt)],
  ]);
}

function deliveryFacts(
  { wallet, txHash, networkFee, targetCurrency }: ProcessRow,
  { say: translate, amount }: Writer,
): Html {
  if (wallet === null) return html`<h2>${translate('delivery')}</h2><p>${translate('notDelivered')}</p>`;
  return facts(translate, 'delivery', [
    ['wallet', wallet],
    ['txHash', txHash],
    ['networkFee', amount(networkFee, targetCurrency)],
  ]);
}

function lists(
  { row, steps, requests, history, files }: Evidence,
  { say: translate, at, amount, language, registry }: Writer,
): Html {
  const happened = steps.map((step) => [
    at(step.occurredAt),
    row && registry.stepOf(row.template, step.component, step.state).substatus[language],
    stepNameOf(step),
  ]);
  const returned = returnsOf(row?.process ?? {}).map(({ requestedAt, amount: brl, state, returnId }) => [
    at(requestedAt),
    amount(brl),
    RETURN_STATE_LABELS[state][language],
    returnId,
  ]);
  const requested = requests.map((each) => [
    at(each.at),
    `${each.method} ${each.route}`,
    each.operation,
    each.status,
    each.actorKind,
    each.requestId,
  ]);
  const reported = history.map(({ at: when, event, actor, detail }) => [
    at(when),
    MED_EVENT_LABELS[event]?.[language] ?? event,
    actor,
    detail,
  ]);
  const held = files.map(({ name, type, size, hash }) => [name, type, size, `sha256:${hash}`]);
  return html`${list(translate('timeline'), happened)}${list(translate('returns'), returned)}${list(translate('requests'), requested)}${list(translate('history'), reported)}${list(translate('files'), held)}`;
}

/** A fact that is not known is left out. */
function facts(translate: Writer['say'], title: EvidenceWord, rows: readonly Fact[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return html`<h2>${translate(title)}</h2>
<table>${shown.map(
    ([name, value]) => html`<tr><th scope="row">${translate(name)}</th><td>${value}</td></tr>
`,
  )}</table>
`;
}

function list(title: string, rows: readonly (readonly HtmlValue[])[]): Html | null {
  if (rows.length === 0) return null;
  return html`<h2>${title}</h2>
<table>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</table>
`;
}
