/** Forms for payers: an amount, their identity, a quote, the use of a deposit. */
import { BRL } from '../base/money/currency.ts';
import { PIX_KEY_TYPES } from '../base/pix/pix-key.ts';
import { choice, tick } from '../ui/field.ts';
import { showAsset, showExact } from '../ui/figures.ts';
import { type Html, html } from '../ui/html.ts';
import { address, keyValues, more, note, pair } from '../ui/parts.ts';
import { field, form, type SessionPage } from './page.ts';
import { summary } from './summary.ts';

/** @returns the form of an open amount. */
export function amountAsk(page: SessionPage): Html {
  const { say, range } = page;
  return form(
    page,
    'amount',
    say('proceed'),
    field(page, {
      name: 'amount',
      label: 'amount',
      inputmode: 'decimal',
      ...(range && { hint: say('amountRange', range) }),
    }),
  );
}

/** @returns the form of a customer, or of a payee with a PIX key. */
export function identityAsk(page: SessionPage): Html {
  const { say, facts } = page;
  const isPayee = facts.target === BRL;
  const fields = html`${field(page, { name: 'name', label: 'name', autocomplete: isPayee ? 'off' : 'name' })}
${field(page, { name: 'taxId', label: 'taxId', ...(!isPayee && { hint: say('identityWhy') }) })}
${isPayee && html`${keyTypes(page)}${field(page, { name: 'pixKey', label: 'pixKey' })}`}`;
  return html`${form(page, 'identity', say('proceed'), fields)}
${!isPayee && note('shield', say('identityLaw'))}`;
}

function keyTypes({ say, form: { values, wrong } }: SessionPage): Html {
  return choice({
    name: 'pixKeyType',
    label: say('keyType'),
    wrong: wrong.pixKeyType,
    value: values.pixKeyType,
    options: PIX_KEY_TYPES.map((type) => [type, say(type)]),
    attributes: { required: true },
  });
}

/** @returns the payer's identity, to be confirmed or corrected. */
export function confirmationAsk(page: SessionPage): Html {
  const { say, facts, form: given } = page;
  const isOpen = Object.keys(given.wrong).length > 0;
  return html`${keyValues([pair(say('name'), facts.clientName), pair(say('taxId'), facts.clientTaxId)])}
${form(page, 'confirm', say('confirm'))}
${more(say('correct'), identityAsk(page), { open: isOpen })}`;
}

/** @returns a quote, and the button that accepts it. */
export function quoteAsk(page: SessionPage): Html {
  return html`${keyValues(summary(page))}${form(page, 'accept', page.say('accept'))}`;
}

/** @returns the ways out for a deposit that was not what was expected. */
export function resolutionAsk(page: SessionPage): Html {
  const { say, facts, language, session } = page;
  const { branding } = session;
  const arrived = facts.amountPaid && showAsset(facts.amountPaid, facts.source, language);
  const expected = facts.exactDepositAmount && showExact(facts.exactDepositAmount, facts.source, language);
  return html`${keyValues([pair(say('arrived'), arrived), pair(say('expected'), expected)])}
${
  session.actions.includes('requote_deposit') &&
  html`<section class="stack tight"><h2>${say('requote')}</h2><p>${say('requoteWhat')}</p>${form(page, 'requote', say('requote'))}</section>`
}
<section class="stack tight"><h2>${say('refund')}</h2><p>${say('refundWhat')}</p><p class="mono">${address(facts.depositFrom ?? '')}</p>
${form(page, 'refund', say('refund'), mine(page), 'full')}
<p class="small soft">${say('refundElse', { merchant: branding.displayName })}</p></section>`;
}

function mine({ say, form: { wrong } }: SessionPage): Html {
  return tick({
    name: 'mine',
    label: say('refundMine'),
    wrong: wrong.mine,
    attributes: { required: true },
  });
}
