/** A receipt by e-mail, on the page of a session: progress, the link to its form, and the form. */
import { EMAIL_LENGTH_MAX } from '../base/input/email-address.ts';
import type { ReceiptOffer } from '../resolvers/payer/receipt-request.ts';
import { type Html, html } from '../ui/html.ts';
import { EMAIL, field, form, pathOf, type SessionPage } from './page.ts';
import type { Word } from './words.ts';

const PROGRESS: Readonly<Record<ReceiptOffer['state'], Word | null>> = {
  none: null,
  waiting: 'emailWaiting',
  pending: 'emailWaiting',
  sent: 'emailSent',
  failed: 'emailFailed',
};

/** @returns the progress of the receipt, and the link to its form; never the address. */
export function emailLine(page: SessionPage): Html | null {
  const { translate, receiptOffer: offer } = page;
  if (offer === null) return null;
  const progress = PROGRESS[offer.state];
  const link = html`<a class="go" href="${pathOf(page, EMAIL)}">${translate(progress === null ? 'emailTitle' : 'emailChange')}</a>`;
  return html`<p class="no-print">${progress && html`${translate(progress)} `}${offer.isOpen && link}</p>`;
}

/** @returns the form, and the link back. */
export function emailForm(page: SessionPage): Html {
  const { translate, scenarios } = page;
  const content = html`<p>${translate('emailWhat')}${scenarios && html` ${translate('emailTest')}`}</p>${field(
    page,
    {
      name: EMAIL,
      label: 'emailField',
      inputmode: 'email',
      autocomplete: 'email',
      maxlength: EMAIL_LENGTH_MAX,
    },
  )}`;
  return html`${form(page, EMAIL, translate('emailSave'), content)}
<p><a class="go" href="${pathOf(page)}">${translate('emailBack')}</a></p>`;
}
