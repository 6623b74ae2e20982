/** Forms for payers: an amount, their identity, a quote, the use of a deposit. */
import { BRL } from '../base/money/currency.ts';
import { PIX_KEY_TYPES } from '../base/pix/pix-key.ts';
import { choice, tick } from '../ui/field.ts';
import { showAsset, showExact } from '../ui/figures.ts';
import { type Html, html } from '../ui/html.ts';
import { address, keyValues, more, note, pair } from '../ui/parts.ts';
import { pixKeyTypeWord } from '../ui/pix-key-words.ts';
import { field, form, type SessionPage } from './page.ts';
import { summary } from './summary.ts';

/** @returns the form of an open amount. */
export function amountPrompt(page: SessionPage): Html {
  const { translate, range } = page;
  return form(
    page,
    'amount',
    translate('proceed'),
    field(page, {
      name: 'amount',
      label: 'amount',
      inputmode: 'decimal',
      ...(range && { hint: translate('amountRange', range) }),
    }),
  );
}

/** @returns the form of a customer, or of a payee with a PIX key. */
export function identityPrompt(page: SessionPage): Html {
  const { translate, facts } = page;
  const isPayee = facts.target === BRL;
  const fields = html`${field(page, { name: 'name', label: 'name', autocomplete: isPayee ? 'off' : 'name' })}
${field(page, { name: 'taxId', label: 'taxId', ...(!isPayee && { hint: translate('identityWhy') }) })}
${isPayee && html`${keyTypes(page)}${field(page, { name: 'pixKey', label: 'pixKey' })}`}`;
  return html`${form(page, 'identity', translate('proceed'), fields)}
${!isPayee && note('shield', translate('identityLaw'))}`;
}

function keyTypes({ translate, language, form: { values, wrong } }: SessionPage): Html {
  return choice({
    name: 'pixKeyType',
    label: translate('keyType'),
    wrong: wrong.pixKeyType,
    value: values.pixKeyType,
    options: PIX_KEY_TYPES.map((type) => [type, pixKeyTypeWord(type, language)]),
    attributes: { required: true },
  });
}

/** @returns the payer's identity, for confirmation or correction. */
export function confirmationPrompt(page: SessionPage): Html {
  const { translate, facts, form: values } = page;
  const isOpen = Object.keys(values.wrong).length > 0;
  return html`${keyValues([pair(translate('name'), facts.clientName), pair(translate('taxId'), facts.clientTaxId)])}
${form(page, 'confirm', translate('confirm'))}
${more(translate('correct'), identityPrompt(page), { open: isOpen })}`;
}

/** @returns a quote, and the button that accepts it. */
export function quotePrompt(page: SessionPage): Html {
  return html`${keyValues(summary(page))}${form(page, 'accept', page.translate('accept'))}`;
}

/** @returns the choices for a deposit that differs from the expected one. */
export function resolutionPrompt(page: SessionPage): Html {
  const { translate, facts, language, session } = page;
  const { branding } = session;
  const arrived = facts.amountPaid && showAsset(facts.amountPaid, facts.source, language);
  const expected = facts.exactDepositAmount && showExact(facts.exactDepositAmount, facts.source, language);
  return html`${keyValues([pair(translate('arrived'), arrived), pair(translate('expected'), expected)])}
${
  session.actions.includes('requote_deposit') &&
  html`<section class="stack tight"><h2>${translate('requote')}</h2><p>${translate('requoteWhat')}</p>${form(page, 'requote', translate('requote'))}</section>`
}
<section class="stack tight"><h2>${translate('refund')}</h2><p>${translate('refundWhat')}</p><p class="mono">${address(facts.depositFrom ?? '')}</p>
${form(page, 'refund', translate('refund'), mine(page), 'full')}
<p class="small soft">${translate('refundElse', { merchant: branding.displayName })}</p></section>`;
}

function mine({ translate, form: { wrong } }: SessionPage): Html {
  return tick({
    name: 'mine',
    label: translate('refundMine'),
    wrong: wrong.mine,
    attributes: { required: true },
  });
}
