/** Manual journals, each with its possible decisions, and the form that proposes one. */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { MANUAL_ACCOUNTS } from '../../base/money/manual-accounts.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { BooksQuery } from '../generated/graphql.ts';
import { translateName } from '../words.ts';
import { listTime, money } from './figures.ts';
import { actionForm, addForm, disclosedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';
import { secondPersonNote } from './second-person.ts';

type Manual = BooksQuery['manualJournals'][number];

const TONES = { PROPOSED: 'warn', POSTED: 'good', REJECTED: 'idle' } as const;
/** @returns the section of the screen of the books. */
export function manualSection(context: ScreenContext, rows: readonly Manual[]): Html {
  const { translate } = context;
  const caption = translate('manualJournals');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns: columns(context) });
  const list =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('receipt', translate('noManualJournals'));
  return section('manual', caption, html`${list}${capitalForm(context)}${proposeForm(context)}`);
}

function columns(context: ScreenContext): readonly Column<Manual>[] {
  const { translate, language } = context;
  return [
    {
      name: `${translate('time')} / ${translate('account')}`,
      cell: ({ madeAt, accountId }) =>
        html`${listTime(madeAt, language)}<br><small class="soft">${accountId}</small>`,
    },
    {
      name: `${translate('debit')} / ${translate('credit')}`,
      cell: ({ debit, credit }) => html`${bookName(context, debit)}<br>${bookName(context, credit)}`,
    },
    {
      name: `${translate('amount')} / ${translate('status')}`,
      isFigure: true,
      cell: ({ amount, currency, state }) =>
        html`${money({ amount, currency: currencyOfLedger(currency) }, language)}<br>${badge(TONES[state], translate(state))}`,
    },
    {
      name: `${translate('journalReason')} / ${translate('who')}`,
      cell: ({ reason, maker, makerName }) =>
        html`${translateName(translate, reason)}<br><small class="soft">${makerName ?? maker}</small>`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (row) => row.state === 'PROPOSED' && decisions(context, row),
    },
  ];
}

function bookName({ translate }: ScreenContext, account: string): Html {
  return html`${translateName(translate, `book_${account}`)} <small class="mono">${account}</small>`;
}

function decisions(context: ScreenContext, manual: Manual): Html {
  const { proposalId: id, amount, currency, debit, credit } = manual;
  const { translate, language } = context;
  const sum = money({ amount, currency: currencyOfLedger(currency) }, language);
  const preset = { id };
  const named = (account: string) => `${translateName(translate, `book_${account}`)} (${account})`;
  const approve = disclosedForm(context, {
    action: 'ApproveJournal',
    preset,
    open: translate('approveJournal'),
    what: translate('approveJournalWhat', { amount: sum, debit: named(debit), credit: named(credit) }),
    button: translate('approveJournalYes'),
  });
  const reject = actionForm(context, {
    action: 'RejectJournal',
    preset,
    button: translate('rejectJournal'),
    kind: 'pill',
  });
  const waits = secondPersonNote(context, manual.secondPersonBar);
  return html`<div class="stack tight">${waits ?? approve}${reject}</div>`;
}

/** Capital, and coins that the house buys or sells elsewhere, such as gas: another person approves it among the journals. */
function capitalForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'BookCapital';
  const options = (['IN', 'OUT'] as const).map((each) => [each, translate(`capital_${each}`)] as const);
  const required = { isRequired: true } as const;
  const fields = [
    { name: 'direction', label: translate('capitalDirection'), options },
    { name: 'currency', label: translate('currency'), hint: translate('capitalCurrencyHint'), ...required },
    { name: 'amount', label: translate('amount'), inputmode: 'decimal', ...required },
  ] as const;
  return addForm(context, {
    action,
    open: translate('bookCapital'),
    button: translate('proposeJournalYes'),
    fields: html`<p class="small">${translate('bookCapitalWhat')}</p>${fields.map((each) => field(context, action, each))}`,
  });
}

function proposeForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'ProposeJournal';
  const options = MANUAL_ACCOUNTS.map(
    (each) => [each, `${translateName(translate, `book_${each}`)} (${each})`] as const,
  );
  const required = { isRequired: true } as const;
  const fields = [
    { name: 'account', label: translate('accountToBook'), value: context.session.accountId, ...required },
    { name: 'debit', label: translate('debit'), options },
    { name: 'credit', label: translate('credit'), options },
    { name: 'currency', label: translate('currency'), hint: translate('capitalCurrencyHint'), ...required },
    { name: 'amount', label: translate('amount'), inputmode: 'decimal', ...required },
    { name: 'reason', label: translate('journalReason'), ...required },
  ] as const;
  return addForm(context, {
    action,
    open: translate('proposeJournal'),
    button: translate('proposeJournalYes'),
    fields: html`${fields.map((each) => field(context, action, each))}`,
  });
}
