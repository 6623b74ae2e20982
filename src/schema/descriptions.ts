/** Descriptions that several fields and arguments share: each is written once. */
import { LONGEST_TEXT } from '../base/errors/violations.ts';
import { CURRENCY_FILTER_FORMS, CURRENCY_FORMS } from '../resolvers/checks/creation-members.ts';
import { bounded, inProse } from '../resolvers/checks/lengths.ts';
import { type Bounds, DECIMAL_LENGTH_MAX } from '../resolvers/settings/manage-settings.ts';
import { CONCURRENCY_MAX, PER_SECOND_MAX } from '../resolvers/webhooks/manage-webhooks.ts';

/** Texts by the name of the described thing. */
export const DESCRIPTIONS = {
  end2end: 'Identifier of the transaction, `CRX…`.',
  actedOn: 'Identifier of the account that this is done on, as `accountId` has it.',
  currency: CURRENCY_FORMS,
  currencyFilter: CURRENCY_FILTER_FORMS,
  clientTaxId: 'CPF or CNPJ with valid check digits, with or without punctuation.',
  quoteId: bounded('A quote of `createQuote`, which fixes both amounts. It can be used once.', LONGEST_TEXT),
  accept: 'Whether the quote is accepted now. If false, the process waits for `acceptQuote`.',
  pixKeyType: 'Type of `pixKey`. Required with it.',
  createdAt: 'When it was created.',
  step: 'Step of the process: the part that is under way.',
  state: 'State of the step.',
  replaces:
    'The list as you last read it, in any order. If it has changed since, nothing is changed: error `LIST_CHANGED`. Default: no check.',
  status: 'Broad label, for the state of a user interface.',
  substatus: 'Label of the step; several share a status.',
  statusCode: 'Broad status of its step as a code; `status` is its label.',
  headline: 'Movement of the money, in a few words for people.',
  awaits:
    'Party that its step waits for; null when the gateway and its rails go on by themselves, after the end, and for steps that only imported history has. It follows from the step alone: a withdrawal that was approved, or a payment whose hold was rejected, waits for a `DECISION` until the rails have moved it on.',
} as const;

/** Members of an endpoint that are both written and read. */
export const ENDPOINT_FIELDS = {
  eventNames:
    'Names of the events to send, such as `onramp.depositpix.*`. `*` stands for a whole part or for characters within one; `onramp.*` is short for `onramp.*.*`. Empty: all events of transactions. `account.notification.*`: notifications of the account, for endpoints without a template.',
  orderMode: 'Order in which deliveries wait for each other. Default: `TRANSACTION`.',
  maxConcurrency: `Most deliveries in progress at the same time: 1 to ${inProse(CONCURRENCY_MAX)}, default 20.`,
  maxPerSecond: `Most deliveries per second: 1 to ${inProse(PER_SECOND_MAX)}; null: no limit.`,
  isSignedByKey: 'Whether requests are also signed by a public key (`v1a`, Ed25519). Default: false.',
} as const;

/** @returns the description of a setting, with its maximum number of decimals and characters. */
export function boundedSetting(description: string, { decimals, isFraction }: Bounds): string {
  // A fraction with few decimals is also short.
  const length = isFraction ? '' : ` and ${DECIMAL_LENGTH_MAX} characters`;
  return `${description} At most ${decimals} decimals${length}.`;
}
