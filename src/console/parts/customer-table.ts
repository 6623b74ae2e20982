/** The table of customers: the level of each, and its limits. */
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext } from '../context.ts';
import type { CustomerRowFragment as Customer } from '../generated/graphql.ts';
import { heldAmount, inBrl, listTime } from './figures.ts';
import { field } from './form.ts';
import { unseen } from './lists.ts';

/** Links and actions of a customer. */
export interface CustomerParts {
  /** Link of the tax id; plain text by default. */
  readonly href?: (customer: Customer) => string;
  readonly actions: (customer: Customer) => Html | null;
}

/** @returns the tax id that the reader searches for, as typed; empty without a search. */
export function searchedTaxId({ query }: Pick<ScreenContext, 'query'>): string {
  return (query.get('q') ?? '').trim();
}

/** @returns the form that searches for a customer by tax id. */
export function customerSearch(context: ScreenContext): Html {
  const { translate, path } = context;
  const taxId = searchedTaxId(context);
  return html`<form method="get" role="search" class="row"><input type="search" name="q" value="${taxId}" aria-label="${translate('clientTaxId')}" placeholder="${translate('clientTaxId')}" maxlength="20"><button>${icon('search')} ${translate('search')}</button>${taxId && html`<a class="btn quiet" href="${pathTo(path)}">${translate('clear')}</a>`}</form>`;
}

/** @returns the table; a limit granted by the platform is shown in place of the account's own. */
export function customerTable(
  context: ScreenContext,
  rows: readonly Customer[],
  { href, actions }: CustomerParts,
): Html {
  const { translate, language } = context;
  if (rows.length === 0) return empty('person', translate('noCustomers'));
  const limit = (granted: string | null, own: string | null) => {
    const amount = granted ?? own;
    return amount === null
      ? html`<span class="soft">${translate('asTemplate')}</span>`
      : inBrl(amount, language);
  };
  const columns: readonly Column<Customer>[] = [
    {
      name: translate('clientTaxId'),
      isRowHead: true,
      cell: (each) =>
        html`${href ? html`<a href="${href(each)}">${formatTaxId(each.taxId)}</a>` : formatTaxId(each.taxId)}<small class="narrow">${each.names.at(-1)}</small>`,
    },
    { name: translate('name'), style: 'wide', cell: ({ names }) => names.at(-1) },
    {
      name: translate('level'),
      style: 'wide',
      cell: ({ level }) => badge(level === 'VERIFIED' ? 'good' : 'idle', translate(`level_${level}`)),
    },
    {
      name: translate('firstSeen'),
      style: 'wide',
      cell: ({ firstSeenAt }) => listTime(firstSeenAt, language),
    },
    {
      name: translate('set_customerLimitDaily'),
      isFigure: true,
      cell: ({ grantedLimitDaily, limitDaily }) => limit(grantedLimitDaily, limitDaily),
    },
    {
      name: translate('set_customerStepUp30d'),
      isFigure: true,
      cell: ({ grantedStepUp30d, stepUp30d }) => limit(grantedStepUp30d, stepUp30d),
    },
    { name: unseen(translate('actsHere')), isActions: true, cell: actions },
  ];
  const caption = translate('customers');
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}

/**
 * @param limits - for each limit, the value that the form sets, and the value that applies without it.
 * @returns the fields of the limits of a customer.
 */
export function limitFields(
  context: ScreenContext,
  action: string,
  preset: Readonly<Record<string, string>>,
  limits: Readonly<Record<'limitDaily' | 'stepUp30d', readonly [own: string | null, other: string | null]>>,
): readonly Html[] {
  const { translate, language } = context;
  return (['limitDaily', 'stepUp30d'] as const).map((name) => {
    const [own, other] = limits[name];
    const label = translate(name === 'limitDaily' ? 'set_customerLimitDaily' : 'set_customerStepUp30d');
    const holds = heldAmount(own, language);
    const placeholder = other === null ? translate('asTemplate') : inBrl(other, language);
    return field(context, action, { name, label, inputmode: 'decimal', holds, placeholder }, preset);
  });
}
