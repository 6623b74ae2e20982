/** Freezing a customer, with or without an identity check: the form, or the link to the case by which the customer is frozen. */
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { CaseToDecideFragment } from '../generated/graphql.ts';
import { caseHref } from './cases.ts';
import { listTime } from './figures.ts';
import { disclosedForm, field, type PresetValues, reasonField } from './form.ts';
import { section } from './lists.ts';

/** A frozen customer's case. */
export type FrozenCase = Pick<CaseToDecideFragment, 'account' | 'caseId' | 'taxId'>;
/** A frozen customer, whom no transaction need have named. */
export type Frozen = FrozenCase & Pick<CaseToDecideFragment, 'name' | 'updatedAt'>;

/**
 * @param taxId - of the customer; a field of the form if omitted.
 * @returns the form; null for a session that may not freeze.
 */
export function freezeForm(
  context: ScreenContext,
  { account, taxId }: { readonly account: string; readonly taxId?: string },
): Html | null {
  const { translate } = context;
  const action = 'FreezeCustomer';
  const preset: PresetValues = taxId ? { account, taxId } : { account, by: 'taxId' };
  const named = { name: 'taxId', label: translate('clientTaxId'), isRequired: true };
  return disclosedForm(context, {
    action,
    preset,
    open: translate(taxId ? 'freezeCase' : 'freezeByTaxId'),
    what: translate('freezeCaseWhat'),
    button: translate('freezeCaseYes'),
    kind: 'danger',
    fields: html`${taxId ? null : field(context, action, named, preset)}${reasonField(context, action, preset)}`,
  });
}

/** @returns the state of a frozen customer, with the link to its case, where two people unfreeze. */
export function frozenMark({ translate }: ScreenContext, { account, caseId }: FrozenCase): Html {
  return html`${badge('bad', translate('caseState_FROZEN'))} <a class="go" href="${caseHref(`CUSTOMER_CASE:${account}:${caseId}`)}">${translate('openCheck')}</a>`;
}

/** @returns all frozen customers of an account, including those without a record; null without one. */
export function frozenTable(context: ScreenContext, rows: readonly Frozen[]): Html | null {
  const { translate, language } = context;
  if (rows.length === 0) return null;
  const columns: readonly Column<Frozen>[] = [
    { name: translate('clientTaxId'), isRowHead: true, cell: ({ taxId }) => formatTaxId(taxId) },
    { name: translate('name'), style: 'wide', cell: ({ name }) => name },
    { name: translate('frozenSince'), cell: ({ updatedAt }) => listTime(updatedAt, language) },
    { name: translate('status'), cell: (row) => frozenMark(context, row) },
  ];
  const caption = translate('frozenCustomers');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('frozen', caption, scrolled(translate('tableOf', { name: caption }), shown));
}
