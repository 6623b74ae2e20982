/** What a payer is asked for in forms: an amount, who it is, a quote, what becomes of a deposit. */
import { BRL } from '../base/currency.ts';
import { PIX_KEY_TYPES } from '../base/pix-key.ts';
import { accepts } from '../templates/accepts.ts';
import { showAmount, showExact } from '../ui/figures.ts';
import { type Html, html } from '../ui/html.ts';
import { summary } from './outcome.ts';
import { field, form, row, type SessionPage } from './page.ts';

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
  return form(
    page,
    'identity',
    say('proceed'),
    html`${!isPayee && html`<p>${say('identityWhy')}</p>`}
${field(page, { name: 'name', label: 'name', autocomplete: isPayee ? 'off' : 'name' })}
${field(page, { name: 'taxId', label: 'taxId' })}
${isPayee && html`${keyTypes(page)}${field(page, { name: 'pixKey', label: 'pixKey' })}`}`,
  );
}

function keyTypes({ say, form: { values, wrong } }: SessionPage): Html {
  return html`<p class="field"><label for="pixKeyType">${say('keyType')}</label>
<select id="pixKeyType" name="pixKeyType" required${wrong.pixKeyType && html` aria-invalid="true" aria-describedby="pixKeyType-wrong"`}>
${PIX_KEY_TYPES.map((type) => html`<option value="${type}"${values.pixKeyType === type && html` selected`}>${say(type)}</option>`)}
</select>${wrong.pixKeyType && html`<small class="wrong" id="pixKeyType-wrong">${wrong.pixKeyType}</small>`}</p>`;
}

/** @returns who was named, to be confirmed or corrected. */
export function confirmationAsk(page: SessionPage): Html {
  const { say, facts, form: given } = page;
  const isOpen = Object.keys(given.wrong).length > 0;
  return html`<dl>${row(say('name'), facts.clientName)}${row(say('taxId'), facts.clientTaxId)}</dl>
${form(page, 'confirm', say('confirm'))}
<details${isOpen && html` open`}><summary>${say('correct')}</summary>${identityAsk(page)}</details>`;
}

/** @returns a quote, and the button that accepts it. */
export function quoteAsk(page: SessionPage): Html {
  return html`${summary(page)}${form(page, 'accept', page.say('accept'))}`;
}

/** @returns the ways out for a deposit that was not what was expected. */
export function resolutionAsk(page: SessionPage): Html {
  const { say, facts, language, session } = page;
  const { row: transaction, template, branding } = session;
  const wrong = page.form.wrong.mine;
  return html`<p>${session.step.message[language]}</p><h2>${say('resolveTitle')}</h2><dl>
${row(say('arrived'), facts.amountPaid && showAmount(facts.amountPaid, facts.source, language))}
${row(say('expected'), facts.exactDepositAmount && showExact(facts.exactDepositAmount, facts.source, language))}
</dl>
${
  accepts(template, transaction, 'requoted') &&
  html`<section><h3>${say('requote')}</h3><p>${say('requoteWhat')}</p>${form(page, 'requote', say('requote'))}</section>`
}
<section><h3>${say('refund')}</h3><p>${say('refundWhat')}</p><p><code>${facts.depositFrom}</code></p>
${form(
  page,
  'refund',
  say('refund'),
  html`<p class="field"><label><input type="checkbox" name="mine" value="yes" required${wrong && html` aria-invalid="true" aria-describedby="mine-wrong"`}> ${say('refundMine')}</label>
${wrong && html`<small class="wrong" id="mine-wrong">${wrong}</small>`}</p>`,
  'second',
)}
<p>${say('refundElse', { merchant: branding.displayName })}</p></section>`;
}
