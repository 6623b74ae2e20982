/** Journals by hand, each with what can be decided, and the form that proposes one. */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { MANUAL_ACCOUNTS } from '../../base/money/manual-accounts.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { BooksQuery } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { moment, money } from './figures.ts';
import { actForm, addForm, askedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Manual = BooksQuery['manualJournals'][number];

const TONES = { PROPOSED: 'warn', POSTED: 'good', REJECTED: 'idle' } as const;
/** @returns the section of the screen of the books. */
export function manualSection(context: ScreenContext, rows: readonly Manual[]): Html {
  const { say } = context;
  const caption = say('manualJournals');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns: columns(context) });
  const list =
    rows.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('receipt', say('noManualJournals'));
  return section('manual', caption, html`${list}${proposeForm(context)}`);
}

function columns(context: ScreenContext): readonly Column<Manual>[] {
  const { say, language } = context;
  return [
    { name: say('time'), cell: ({ madeAt }) => moment(madeAt, language) },
    { name: say('account'), cell: ({ accountId }) => accountId },
    {
      name: `${say('debit')} / ${say('credit')}`,
      look: 'mono',
      cell: ({ debit, credit }) => html`${debit}<br>${credit}`,
    },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ amount, currency }) => money({ amount, currency: currencyOfLedger(currency) }, language),
    },
    {
      name: `${say('journalReason')} / ${say('who')}`,
      cell: ({ reason, maker }) => html`${reason}<br><code>${maker}</code>`,
    },
    { name: say('status'), cell: ({ state }) => badge(TONES[state], say(state)) },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (row) => row.state === 'PROPOSED' && decisions(context, row),
    },
  ];
}

function decisions(context: ScreenContext, manual: Manual): Html {
  const { proposalId: id, amount, currency, debit, credit } = manual;
  const { say, language } = context;
  const sum = money({ amount, currency: currencyOfLedger(currency) }, language);
  const given = { id };
  const approve = askedForm(context, {
    act: 'ApproveJournal',
    given,
    open: say('approveJournal'),
    what: say('approveJournalWhat', { amount: sum, debit, credit }),
    button: say('approveJournalYes'),
  });
  const reject = actForm(context, {
    act: 'RejectJournal',
    given,
    button: say('rejectJournal'),
    kind: 'pill',
  });
  return html`<div class="stack tight">${approve}${reject}</div>`;
}

function proposeForm(context: ScreenContext): Html | null {
  const { say } = context;
  const act = 'ProposeJournal';
  const options = MANUAL_ACCOUNTS.map(
    (each) => [each, `${sayNamed(say, `book_${each}`)} (${each})`] as const,
  );
  const required = { isRequired: true } as const;
  const fields = [
    { name: 'account', label: say('accountNumber'), ...required },
    { name: 'debit', label: say('debit'), options },
    { name: 'credit', label: say('credit'), options },
    { name: 'currency', label: say('currency'), ...required },
    { name: 'amount', label: say('amount'), inputmode: 'decimal', ...required },
    { name: 'reason', label: say('journalReason'), ...required },
  ] as const;
  return addForm(context, {
    act,
    open: say('proposeJournal'),
    button: say('proposeJournalYes'),
    fields: html`${fields.map((each) => field(context, act, each))}`,
  });
}
