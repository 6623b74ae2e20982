/** The table of customers: the level of each, and its limits. */
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { CustomerRowFragment as Customer } from '../generated/graphql.ts';
import { inBrl, moment } from './figures.ts';
import { field } from './form.ts';
import { unseen } from './lists.ts';

/** Links and acts of a customer. */
export interface CustomerParts {
  /** Link of the tax id; plain text by default. */
  readonly href?: (customer: Customer) => string;
  readonly acts: (customer: Customer) => Html | null;
}

/** @returns the table; a limit that the platform granted stands in place of the account's own. */
export function customerTable(
  context: ScreenContext,
  rows: readonly Customer[],
  { href, acts }: CustomerParts,
): Html {
  const { say, language } = context;
  if (rows.length === 0) return empty('person', say('noCustomers'));
  const limit = (granted: string | null, own: string | null) => {
    const amount = granted ?? own;
    return amount === null ? html`<span class="soft">${say('asTemplate')}</span>` : inBrl(amount, language);
  };
  const columns: readonly Column<Customer>[] = [
    {
      name: say('clientTaxId'),
      isRowHead: true,
      cell: (each) =>
        html`${href ? html`<a href="${href(each)}">${formatTaxId(each.taxId)}</a>` : formatTaxId(each.taxId)}<small class="narrow">${each.names.at(-1)}</small>`,
    },
    { name: say('name'), look: 'wide', cell: ({ names }) => names.at(-1) },
    {
      name: say('level'),
      look: 'wide',
      cell: ({ level }) => badge(level === 'VERIFIED' ? 'good' : 'idle', say(`level_${level}`)),
    },
    { name: say('firstSeen'), look: 'wide', cell: ({ firstSeenAt }) => moment(firstSeenAt, language) },
    {
      name: say('set_customerLimitDaily'),
      isFigure: true,
      cell: ({ grantedLimitDaily, limitDaily }) => limit(grantedLimitDaily, limitDaily),
    },
    {
      name: say('set_customerStepUp30d'),
      isFigure: true,
      cell: ({ grantedStepUp30d, stepUp30d }) => limit(grantedStepUp30d, stepUp30d),
    },
    { name: unseen(say('actsHere')), isActs: true, cell: acts },
  ];
  const caption = say('customers');
  return scrolled(
    say('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}

/** @returns the fields of the limits of a customer. */
export function limitFields(
  context: ScreenContext,
  act: string,
  given: Readonly<Record<string, string>>,
): readonly Html[] {
  return (['limitDaily', 'stepUp30d'] as const).map((name) => {
    const label = context.say(name === 'limitDaily' ? 'set_customerLimitDaily' : 'set_customerStepUp30d');
    return field(context, act, { name, label, inputmode: 'decimal' }, given);
  });
}
