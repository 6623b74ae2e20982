/** Recorded facts of a transaction for authorities, and the form that records them. */
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { listTime } from './figures.ts';
import { addForm, disclosedForm, field } from './form.ts';
import { section } from './lists.ts';

type Found = NonNullable<TransactionQuery['transaction']>;

const ACTION = 'RecordFacts';
const TEXTS = ['walletHolder', 'walletVasp', 'walletCountry', 'purposeCode', 'counterpartyCountry'] as const;
const CUSTODIES = ['SELF_CUSTODY', 'CUSTODIAL'] as const;

/** @returns the recorded facts, with their form; null when there are none and the session may not record any. */
export function recordOf(context: ScreenContext, found: Found): Html | null {
  const { translate } = context;
  const form = recordForm(context, found);
  if (!found.record && !form) return null;
  return html`<section class="card in stack tight" aria-label="${translate('record')}"><h2>${translate('record')}</h2><div data-live="record">${found.record ? known(context, found.record) : null}</div>${form}</section>`;
}

function known({ translate, language }: ScreenContext, record: NonNullable<Found['record']>): Html | null {
  const { walletCustody, usdValue, usdValueAt } = record;
  const at = usdValueAt && html` <span class="soft">${listTime(usdValueAt, language)}</span>`;
  const pairs = [
    pair(translate('walletCustody'), walletCustody && translate(walletCustody)),
    ...TEXTS.map((name) => pair(translate(name), record[name])),
    pair(translate('usdValue'), usdValue && html`<b>${usdValue} USD</b>${at}`),
  ];
  return keyValues(pairs, true);
}

function recordForm(context: ScreenContext, { end2end, record }: Found): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: ACTION,
    preset: { end2end },
    open: translate('recordOpen'),
    what: translate('recordWhat'),
    button: translate('recordYes'),
    fields: recordFields(context, ACTION, record),
  });
}

function recordFields(context: ScreenContext, action: string, record: Found['record'], preset = {}): Html {
  const { translate } = context;
  const custody = {
    name: 'walletCustody',
    label: translate('walletCustody'),
    value: record?.walletCustody ?? null,
    options: [
      ['', translate('notRecorded')],
      ...CUSTODIES.map((each) => [each, translate(each)] as const),
    ] as const,
  };
  const texts = TEXTS.map((name) => ({ name, label: translate(name), value: record?.[name] ?? null }));
  return html`${[custody, ...texts].map((each) => field(context, action, each, preset))}`;
}

/** @returns the operator's form to record facts of an account's transaction; null when the session may not. */
export function correctionOf(context: ScreenContext, account: string): Html | null {
  const { translate } = context;
  const action = 'CorrectFacts';
  const preset = { account };
  const end2end = { name: 'end2end', label: translate('correctEnd2end'), isRequired: true };
  const form = addForm(context, {
    action,
    preset,
    open: translate('correctOpen'),
    button: translate('recordYes'),
    fields: html`<p class="small">${translate('correctWhat')}</p>${field(context, action, end2end, preset)}${recordFields(context, action, null, preset)}`,
  });
  return form && section('record', translate('record'), form);
}
