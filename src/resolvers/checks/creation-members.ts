/**
 * The members of the bodies that create a transaction, with their descriptions. GraphQL inputs, the bodies of `/v2` and their
 * OpenAPI are generated from these lists, and so is the check of texts, URLs and tax ids, which are stored as the facts of
 * their names (`CreationChecks.kept`). Checks with further dependencies, such as of an amount on its currency, are made by
 * the use cases.
 */

import { LONGEST_TEXT, type Named } from '../../base/errors/violations.ts';
import { PIX_KEY_TYPES } from '../../base/pix/pix-key.ts';
import {
  AMOUNT_LENGTH_MAX,
  bounded,
  inProse,
  NAME_LENGTH_MAX,
  NOTES_LENGTH_MAX,
  REFERENCE_LENGTH_MAX,
  URL_LENGTH_MAX,
} from './lengths.ts';

/** Bounds of a session's life in seconds, and its default. */
export const EXPIRES_IN = { min: 60, max: 2_592_000, default: 1_800 } as const;

/** The spellings of a currency, for callers who name one. */
export const CURRENCY_FORMS =
  'Accepted: the raw code (`USDT_TRX`), the display name (`USDT (TRX)`), or the asset alone (`TRX`) when it exists on one network only (C-6).';

/** Forms of a currency in a filter. */
export const CURRENCY_FILTER_FORMS =
  'Accepted: the raw code (`USDT_TRX`), the display name (`USDT (TRX)`), or the asset alone (`USDT`), which stands for all its networks (C-6).';

/** A member of the lists. */
export type Member = {
  /** For readers of the documents of GraphQL or of `/v2`. */
  readonly doc: string;
  /** Its name in `/v2`, where that is not the same in snake_case. */
  readonly wire?: string;
  /** Whether every interface requires it. */
  readonly isRequired?: true;
  readonly example?: string;
} & (
  | { readonly is: 'words'; readonly maxLength: number }
  | { readonly is: 'text'; readonly maxLength?: number }
  | { readonly is: 'url' | 'tax_id' | 'amount' | 'seconds' }
  | { readonly is: 'choice'; readonly of: readonly string[]; readonly default?: string }
);

/** A list of them, by the name that resolvers and GraphQL use. */
export type Members = Readonly<Record<string, Member>>;

/** Reference of a session in the caller's own records, its target, and its lifetime. */
export const SESSION_MEMBERS = {
  externalCode: {
    is: 'words',
    maxLength: REFERENCE_LENGTH_MAX,
    doc: `Your own reference, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
  },
  returnUrl: {
    is: 'url',
    doc: bounded(
      'Where the customer is sent after the payment: an https URL without user name or password.',
      URL_LENGTH_MAX,
    ),
  },
  webhook: {
    is: 'url',
    doc: bounded(
      'https URL, without user name or password, that receives the events of this transaction. Default: the endpoints of the account.',
      URL_LENGTH_MAX,
    ),
  },
  expiresIn: {
    is: 'seconds',
    doc: `Lifetime of the session in seconds: ${EXPIRES_IN.min} to ${inProse(EXPIRES_IN.max)}, default ${inProse(EXPIRES_IN.default)}.`,
  },
} as const satisfies Members;

const TAX_ID = 'with valid check digits, with or without punctuation';

const PIX_IN_MEMBERS = {
  amountPayment: {
    is: 'amount',
    doc: `BRL that the customer pays, above 0, at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters.`,
    example: '550.00',
  },
  amountReceived: {
    is: 'amount',
    doc: bounded(
      'Crypto that is received, instead of the BRL that is paid. No more decimals than the currency has.',
      AMOUNT_LENGTH_MAX,
    ),
    example: '100',
  },
  currency: {
    is: 'text',
    wire: 'currency_exit_received_code',
    isRequired: true,
    doc: `Crypto that is received. ${CURRENCY_FORMS}`,
    example: 'USDT_TRX',
  },
  clientName: {
    is: 'words',
    maxLength: NAME_LENGTH_MAX,
    doc: bounded('Full name of the customer.', NAME_LENGTH_MAX),
    example: 'Ana Souza',
  },
  clientTaxId: { is: 'tax_id', doc: `CPF or CNPJ of the customer, ${TAX_ID}.`, example: '52998224725' },
} as const satisfies Members;

/** A checkout session. */
export const CHECKOUT_MEMBERS = { ...PIX_IN_MEMBERS, ...SESSION_MEMBERS } as const satisfies Members;

/** An onramp. */
export const ONRAMP_MEMBERS = {
  ...PIX_IN_MEMBERS,
  wallet: {
    is: 'text',
    doc: 'Address that the crypto is delivered to, on the network of the currency. Default: the crypto is credited to the balance.',
  },
  ...SESSION_MEMBERS,
} as const satisfies Members;

/** An offramp. */
export const OFFRAMP_MEMBERS = {
  amountPaid: {
    is: 'amount',
    doc: bounded('Crypto that is paid, above 0. No more decimals than the currency has.', AMOUNT_LENGTH_MAX),
    example: '100',
  },
  amountSent: {
    is: 'amount',
    doc: `BRL that the payee receives, instead of the crypto that is paid. At most 2 decimals and ${AMOUNT_LENGTH_MAX} characters.`,
  },
  currency: {
    is: 'text',
    wire: 'currency_entry_paid_code',
    isRequired: true,
    doc: `Crypto that is paid. ${CURRENCY_FORMS}`,
    example: 'USDT_TRX',
  },
  pixKey: {
    is: 'text',
    doc: 'PIX key of the payee, in the form that its type asks for.',
    example: 'ana@example.com',
  },
  pixKeyType: {
    is: 'choice',
    of: PIX_KEY_TYPES,
    doc: 'Type of the PIX key. Required with it.',
    example: 'email',
  },
  clientName: {
    is: 'words',
    maxLength: NAME_LENGTH_MAX,
    doc: bounded('Full name of the payee.', NAME_LENGTH_MAX),
    example: 'Ana Souza',
  },
  clientTaxId: { is: 'tax_id', doc: `CPF or CNPJ of the payee, ${TAX_ID}.`, example: '52998224725' },
  from: {
    is: 'choice',
    of: ['balance', 'external'],
    default: 'balance',
    doc: 'Where the crypto comes from.',
  },
  ...SESSION_MEMBERS,
} as const satisfies Members;

/** A withdrawal. */
export const WITHDRAWAL_MEMBERS = {
  amountReceived: {
    is: 'amount',
    isRequired: true,
    doc: bounded(
      'Amount that leaves the balance. On-chain, the network fee is deducted from it. No more decimals than the currency has.',
      AMOUNT_LENGTH_MAX,
    ),
    example: '100',
  },
  currency: {
    is: 'text',
    wire: 'currency_receive_code',
    isRequired: true,
    doc: `Currency that is withdrawn. ${CURRENCY_FORMS}`,
    example: 'USDT_TRX',
  },
  groupId: {
    is: 'text',
    maxLength: LONGEST_TEXT,
    isRequired: true,
    doc: bounded('Whitelist group of the destination, `grp_…`.', LONGEST_TEXT),
    example: 'grp_treasury',
  },
  address: {
    is: 'text',
    maxLength: LONGEST_TEXT,
    doc: bounded(
      'Address of the destination; for BRL, its PIX key. Required when several entries of the group fit the currency.',
      LONGEST_TEXT,
    ),
  },
  notes: { is: 'words', maxLength: NOTES_LENGTH_MAX, doc: bounded('Your own notes.', NOTES_LENGTH_MAX) },
} as const satisfies Members;

/** Values of a list, each under the caller's own name for it. */
export type Input<List> = { readonly [Name in keyof List]?: Named | undefined };

/** Stored values of a list, null where missing. */
export type Stored<List> = {
  readonly [Name in keyof List as List[Name] extends { is: 'words' | 'url' | 'tax_id' } ? Name : never]:
    | string
    | null;
};

/** Values of a session. */
export type SessionInput = Input<typeof SESSION_MEMBERS>;
