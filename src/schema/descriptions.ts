/** Descriptions that several fields and arguments share: each is written once. */
import { CURRENCY_FORMS } from '../resolvers/checks/creation-members.ts';

/** Texts by what they describe. */
export const DESCRIPTIONS = {
  end2end: 'Identifier of the transaction, `CRX…`.',
  actedOn: 'Identifier of the account that this is done on, as `accountId` has it.',
  currency: CURRENCY_FORMS,
  clientTaxId: 'CPF or CNPJ with valid check digits, with or without punctuation.',
  quoteId:
    'A quote of `createQuote`, which fixes the amounts. It can be used once. Not together with an amount.',
  accept: 'Whether the quote is accepted now. If false, the process waits for `acceptQuote`.',
  pixKeyType: 'Type of `pixKey`. Required with it.',
  createdAt: 'When it was created.',
  step: 'Step of the process: the part that is under way.',
  state: 'State of the step.',
  replaces:
    'The list that was seen, in any order. When it is another one by now, nothing changes: error `LIST_CHANGED`. Default: whatever it is.',
  status: 'Broad label, for the state of a user interface.',
  substatus: 'Label of the step; several share a status.',
} as const;
