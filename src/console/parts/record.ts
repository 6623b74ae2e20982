/** Recorded facts of a transaction for authorities, and the form that records them. */
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { moment } from './figures.ts';
import { addForm, askedForm, field } from './form.ts';
import { section } from './lists.ts';

type Found = NonNullable<TransactionQuery['transaction']>;

const ACT = 'RecordFacts';
const TEXTS = ['walletHolder', 'walletVasp', 'walletCountry', 'purposeCode', 'counterpartyCountry'] as const;
const CUSTODIES = ['SELF_CUSTODY', 'CUSTODIAL'] as const;

/** @returns the recorded facts, with their form; null when there are none and the session may not record any. */
export function recordOf(context: ScreenContext, found: Found): Html | null {
  const { say } = context;
  const form = recordForm(context, found);
  if (!found.record && !form) return null;
  return html`<section class="card in stack tight" aria-label="${say('record')}"><h2>${say('record')}</h2><div data-live="record">${found.record ? known(context, found.record) : null}</div>${form}</section>`;
}

function known({ say, language }: ScreenContext, record: NonNullable<Found['record']>): Html | null {
  const { walletCustody, usdValue, usdValueAt } = record;
  const at = usdValueAt && html` <span class="soft">${moment(usdValueAt, language)}</span>`;
  const pairs = [
    pair(say('walletCustody'), walletCustody && say(walletCustody)),
    ...TEXTS.map((name) => pair(say(name), record[name])),
    pair(say('usdValue'), usdValue && html`<b>${usdValue} USD</b>${at}`),
  ];
  return keyValues(pairs, true);
}

function recordForm(context: ScreenContext, { end2end, record }: Found): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: ACT,
    given: { end2end },
    open: say('recordOpen'),
    what: say('recordWhat'),
    button: say('recordYes'),
    fields: recordFields(context, ACT, record),
  });
}

function recordFields(context: ScreenContext, act: string, record: Found['record'], given = {}): Html {
  const { say } = context;
  const custody = {
    name: 'walletCustody',
    label: say('walletCustody'),
    value: record?.walletCustody ?? null,
    options: [['', say('notRecorded')], ...CUSTODIES.map((each) => [each, say(each)] as const)] as const,
  };
  const texts = TEXTS.map((name) => ({ name, label: say(name), value: record?.[name] ?? null }));
  return html`${[custody, ...texts].map((each) => field(context, act, each, given))}`;
}

/** @returns the operator's form to record facts of an account's transaction; null when the session may not. */
export function correctionOf(context: ScreenContext, account: string): Html | null {
  const { say } = context;
  const act = 'CorrectFacts';
  const given = { account };
  const end2end = { name: 'end2end', label: say('correctEnd2end'), isRequired: true };
  const form = addForm(context, {
    act,
    given,
    open: say('correctOpen'),
    button: say('recordYes'),
    fields: html`<p class="small">${say('correctWhat')}</p>${field(context, act, end2end, given)}${recordFields(context, act, null, given)}`,
  });
  return form && section('record', say('record'), form);
}
