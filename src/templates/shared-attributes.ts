/** Attributes that several templates share, in the order of the published tables. */
import { type Attribute, attribute } from './define.ts';

/** Session attributes: the merchant's data at the creation, and the end of the session. */
const SESSION_ATTRIBUTES: readonly Attribute[] = [
  attribute('expiration', 'instant', 'expiresAt', 'When the session expires.'),
  attribute('return_url', 'url', 'returnUrl', 'Where the customer is sent afterwards.'),
  attribute('external_code', 'text', 'externalCode', 'The merchant’s own reference.'),
  attribute('webhook', 'url', 'webhook', 'URL that receives the state updates.'),
];

/** Attributes of BRL in by PIX and crypto out: quote, amounts, payer, session (`service.md` 2.2, 2.3). */
export const PIX_IN_ATTRIBUTES: readonly Attribute[] = [
  attribute('quote', 'rate', 'quote', 'Effective rate used, BRL for one unit of crypto.'),
  attribute('ref_quote', 'rate', 'refQuote', 'Mid-market reference rate at quote time.'),
  attribute('fees', 'amount', 'fees', 'Total fees charged, BRL.'),
  attribute('currency_entry', 'currency_name', 'sourceCurrency', 'Source currency, always BRL.'),
  attribute(
    'currency_exit_received',
    'currency_name',
    'targetCurrency',
    'Display name of the destination asset.',
  ),
  attribute(
    'currency_exit_received_code',
    'currency_asset',
    'targetCurrency',
    'Code of the destination asset.',
  ),
  attribute('amount_payment', 'amount', 'sourceAmount', 'BRL that the customer pays.'),
  attribute('amount_received', 'amount', 'targetAmount', 'Crypto that is received.'),
  attribute('pix_e2e', 'hash', 'pixE2e', 'PIX end-to-end id; known after the payment.'),
  attribute('client_name', 'text', 'clientName', 'Name of the customer.'),
  attribute('client_tax_id', 'tax_id', 'clientTaxId', 'CPF or CNPJ of the customer.'),
  ...SESSION_ATTRIBUTES,
];

/** Attributes of BRL out by PIX: key, payment, payee, session (`service.md` 2.4, 2.5). */
export const PIX_OUT_ATTRIBUTES: readonly Attribute[] = [
  attribute('pix_key', 'text', 'pixKey', 'PIX key that the BRL is sent to.'),
  attribute('pix_key_type', 'pix_key_type', 'pixKeyType', 'Type of the PIX key.'),
  attribute('pix_e2e', 'hash', 'pixE2e', 'PIX end-to-end id; known after the payout.'),
  attribute('client_name', 'text', 'clientName', 'Name of the payee.'),
  attribute('client_tax_id', 'tax_id', 'clientTaxId', 'CPF or CNPJ of the payee.'),
  ...SESSION_ATTRIBUTES,
];

/** Rates and fees that the interface publishes as integers (C-4). */
export const ROUNDED_QUOTE_ATTRIBUTES: readonly Attribute[] = [
  attribute('quote', 'rounded', 'quote', 'Effective rate used, BRL for one unit of crypto.'),
  attribute('ref_quote', 'rounded', 'refQuote', 'Mid-market reference rate at quote time.'),
  attribute('fees', 'rounded', 'fees', 'Total fees, BRL.'),
];
