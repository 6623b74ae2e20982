/** Records that a case leads to: orders that money may be for, payments of the same customer or wallet, other cases. */
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, pathTo, type ScreenContext } from '../context.ts';
import type { RelatedFragment, ReviewCaseQuery, TransactionRowFragment } from '../generated/graphql.ts';
import { actionText } from '../words/actions.ts';
import { translateName } from '../words.ts';
import { caseHref, kindText } from './cases.ts';
import { inBrl, listTime, money, statusBadge } from './figures.ts';
import { section } from './lists.ts';
import { whoOf } from './transaction-table.ts';

type File = NonNullable<ReviewCaseQuery['reviewCase']>;
type OtherCase = File['otherCases'][number];
/** A transaction with its account. */
interface Row {
  readonly account: string;
  readonly accountName: string | null;
  readonly transaction: TransactionRowFragment;
}

/** Kinds of cases about a customer, with or without a transaction. */
const OF_CUSTOMERS: readonly File['kind'][] = ['CUSTOMER_CASE', 'SCREENING_HIT'];

/** @returns the records; null for a case that is about no payment and no customer. */
export function relatedRecords(context: ScreenContext, file: File): Html | null {
  if (!file.transaction && !file.suspense && !OF_CUSTOMERS.includes(file.kind)) return null;
  const isShown = may(context, 'platform:risk') && file.suspense !== null;
  return html`${isShown && candidates(context, file)}${related(context, 'samePayer', file.samePayer)}${file.sameWallet.payments.length > 0 && related(context, 'sameWallet', file.sameWallet)}${otherCases(context, file.otherCases)}`;
}

/** Orders of any account, with the reasons of each. The decision itself is a form of the case. */
function candidates(context: ScreenContext, { candidates: found }: File): Html {
  const { translate } = context;
  type Candidate = File['candidates'][number];
  const reasons: Column<Candidate> = {
    name: translate('matchReasons'),
    cell: ({ reasons: why }) => why.map((reason) => translate(`match_${reason}`)).join(', '),
  };
  const columns = [...columnsOf<Candidate>(context), reasons];
  return listOf(context, { name: 'candidates', rows: found, columns, nothing: translate('noCandidates') });
}

function related(context: ScreenContext, name: 'samePayer' | 'sameWallet', found: RelatedFragment): Html {
  const { translate } = context;
  const columns = columnsOf<Row>(context);
  const nothing = translate('noRelated');
  return listOf(context, { name, rows: found.payments, columns, nothing, head: totals(context, found) });
}

/** Number and BRL of all related payments, whether listed or not. */
function totals({ translate, language }: ScreenContext, { accounts, sums }: RelatedFragment): Html | null {
  if (sums.length === 0) return null;
  const parts = sums.map(
    ({ outcome, count, brl }) =>
      `${translateName(translate, outcome === 'FAILED' ? 'status_FAILED' : outcome)}: ${count} (${inBrl(brl, language)})`,
  );
  const over = accounts > 1 ? `${translate('overAccounts', { count: String(accounts) })} · ` : '';
  return html`<p class="in small">${over}${parts.join(' · ')}</p>`;
}

function columnsOf<Each extends Row>(context: ScreenContext): readonly Column<Each>[] {
  const { translate, language } = context;
  const isOverAll = may(context, 'platform:risk');
  const href = ({ account, transaction: { end2end } }: Row) =>
    isOverAll ? caseHref(`HOLD:${account}:${end2end}`) : pathTo(`/transactions/${end2end}`);
  const account: Column<Each> = {
    name: translate('account'),
    style: 'cut',
    cell: ({ accountName, account: id }) => accountName ?? id,
  };
  return [
    { name: translate('time'), cell: ({ transaction }) => listTime(transaction.createdAt, language) },
    {
      name: translate('payerOrPayee'),
      isRowHead: true,
      cell: (row) => html`<a href="${href(row)}">${whoOf(row.transaction) ?? translate('unknown')}</a>`,
    },
    ...(isOverAll ? [account] : []),
    { name: translate('status'), cell: ({ transaction }) => statusBadge(transaction, language) },
    {
      name: translate('kind'),
      style: 'wide',
      cell: ({ transaction }) => translateName(translate, transaction.__typename),
    },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ transaction: { source, target } }) => {
        const side = source ?? target;
        return side && money(side, language);
      },
    },
  ];
}

/** Cases with their decision, newest first; each link opens the case, which is recorded as a view. */
function otherCases(context: ScreenContext, found: readonly OtherCase[]): Html | null {
  if (found.length === 0) return null;
  const { translate, language } = context;
  const columns: readonly Column<OtherCase>[] = [
    { name: translate('time'), cell: ({ at }) => listTime(at, language) },
    {
      name: translate('caseAbout'),
      isRowHead: true,
      cell: ({ caseKey, kind, title }) =>
        html`<a href="${caseHref(caseKey)}">${[kindText(context, kind), title].filter(Boolean).join(': ')}</a>`,
    },
    ...(may(context, 'platform:risk')
      ? [{ name: translate('account'), cell: ({ accountName }: OtherCase) => accountName }]
      : []),
    { name: translate('decision'), cell: (each) => decisionText(context, each) },
    { name: translate('notesTitle'), isFigure: true, cell: ({ notes }) => String(notes) },
    { name: translate('medFiles'), isFigure: true, cell: ({ files }) => String(files) },
  ];
  return listOf(context, { name: 'otherCases', rows: found, columns, nothing: '' });
}

function decisionText({ translate, language }: ScreenContext, { kind, decision }: OtherCase): string {
  if (decision === null) return translate('noneYet');
  if (kind === 'CUSTOMER_CASE') return translateName(translate, `caseState_${decision}`);
  if (kind === 'SCREENING_HIT') return translateName(translate, `hit_${decision}`);
  if (kind === 'MED_CASE') return translateName(translate, `medState_${decision}`);
  return actionText(decision, language);
}

interface ListParts<Each> {
  readonly name: 'candidates' | 'samePayer' | 'sameWallet' | 'otherCases';
  readonly rows: readonly Each[];
  readonly columns: readonly Column<Each>[];
  readonly nothing: string;
  readonly head?: Html | null;
}

function listOf<Each>(
  { translate }: ScreenContext,
  { name, rows, columns, nothing, head = null }: ListParts<Each>,
): Html {
  const caption = translate(name);
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  const content =
    rows.length > 0 ? scrolled(translate('tableOf', { name: caption }), shown) : empty('search', nothing);
  return section(name, caption, html`${head}${content}`);
}
