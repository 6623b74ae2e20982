/** Freezing a customer, with or without an identity check: the form, or the link to the case by which the customer is frozen. */
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { CaseToDecideFragment } from '../generated/graphql.ts';
import { caseHref } from './cases.ts';
import { disclosedForm, field, type PresetValues, reasonField } from './form.ts';

/** A frozen customer's case. */
export type FrozenCase = Pick<CaseToDecideFragment, 'account' | 'caseId' | 'taxId'>;

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
