/**
 * Customers of a live account, of every kind that a desk meets, and a model of how each ends. The model knows the rules of the
 * specification and the plan of each customer alone: it reads no code and no row of the gateway.
 */
import type { PlannedDecision } from '../../src/checks/applicants.ts';
import { cnpjOf, cpfOf, type Random } from './load.ts';
import { LIST_FILES, SANCTIONED_WALLET } from './screening-lists.ts';

/** Purchase of a customer: PIX to the balance, to a wallet, or crypto to a PIX key. */
export type Product = 'checkout' | 'balance' | 'wallet' | 'deposit';

/** A kind of customer. */
export interface Kind {
  readonly product: Product;
  /** Above the limit of 30 days: the provider checks the customer. */
  readonly isLarge?: true;
  /** Decisions of the provider of identity checks. */
  readonly plan?: readonly PlannedDecision[];
  /** The provider takes its approval back, before the customer pays or after everything is over. */
  readonly takenBack?: 'unpaid' | 'paid';
  /** Has the name of somebody on a list; `namesake`: another tax id than the list knows. */
  readonly listed?: 'name' | 'masked' | 'namesake' | 'company';
  /** Decision of compliance about a hit before the payment. */
  readonly review?: 'accepts' | 'refuses';
  /** The wallet that is to receive the crypto, or the one that sends it, is sanctioned. */
  readonly isWalletSanctioned?: true;
  /** A provider of screening objects to the customer only after the code was given out. */
  readonly isBlockedLater?: true;
  /** Two people release what is frozen. */
  readonly isReleased?: true;
  readonly isCompany?: true;
}

/** A customer, and the tax id, name and wallet that the transaction is made with. */
export interface Customer {
  readonly n: number;
  readonly name: string;
  readonly kind: Kind;
  readonly taxId: string;
  readonly clientName: string;
  readonly wallet: string;
}

/** End of a customer's transaction, by the model. */
export interface Ending {
  /** Component and state, without the version of the component. */
  readonly steps: readonly string[];
  /** Brought money: a PIX, or a deposit. */
  readonly isPaid: boolean;
  /** Got what was bought. */
  readonly isServed: boolean;
  /** Got the money back. */
  readonly isRefunded: boolean;
}

const after = (decision: PlannedDecision['decision'], afterMs: number): PlannedDecision => ({
  decision,
  afterMs,
});
const approved = [after('approved', 200)];
const checked = { product: 'checkout', isLarge: true } as const;
const paidFirst = { product: 'balance', isLarge: true } as const;

/** All kinds, by name. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'clean, to a wallet': { product: 'wallet' },
  'clean, small': { product: 'checkout' },
  'clean, deposits crypto': { product: 'deposit' },
  'clean, checked': { ...checked, plan: approved },
  reviewed: { ...checked, plan: [after('review', 100), after('approved', 1_500)] },
  'reviewed, denied': { ...checked, plan: [after('review', 100), after('denied', 1_500)] },
  denied: { ...checked, plan: [after('denied', 200)] },
  'tries again': { ...checked, plan: [after('retry', 100), after('approved', 1_500)] },
  'tries again, denied': { ...checked, plan: [after('retry', 100), after('denied', 1_500)] },
  'denied late, unpaid': { ...checked, plan: approved, takenBack: 'unpaid' },
  'denied late, at the end': { ...checked, plan: approved, takenBack: 'paid' },
  'checked after the payment': { ...paidFirst, plan: [after('approved', 2_000)] },
  'denied after the payment': { ...paidFirst, plan: [after('denied', 2_000)] },
  'sends to a sanctioned wallet': { product: 'wallet', isWalletSanctioned: true },
  'deposits from a sanctioned wallet': { product: 'deposit', isWalletSanctioned: true },
  'listed name, another person': { product: 'wallet', listed: 'name', review: 'accepts' },
  'listed name, the person': { product: 'wallet', listed: 'name', review: 'refuses' },
  'listed name, checked': { ...checked, plan: approved, listed: 'name', review: 'accepts' },
  'listed name, denied by the provider': { ...checked, plan: [after('denied', 200)], listed: 'name' },
  'masked CPF, the person': { product: 'wallet', listed: 'masked', review: 'refuses' },
  'masked CPF, accepted': { product: 'checkout', listed: 'masked', review: 'accepts' },
  'masked CPF of somebody else': { product: 'wallet', listed: 'namesake' },
  company: { ...checked, plan: approved, isCompany: true },
  'company, denied': { ...checked, plan: [after('denied', 200)], isCompany: true },
  'listed company': { product: 'checkout', isCompany: true, listed: 'company', review: 'refuses' },
  'blocked before the payment arrives': { product: 'wallet', isBlockedLater: true },
  'blocked, and released by two': { product: 'wallet', isBlockedLater: true, isReleased: true },
};

const ENDED: Ending = { steps: ['success/DONE'], isPaid: true, isServed: true, isRefunded: false };
const refusedAt = (...steps: readonly string[]): Ending => ({
  steps,
  ...{ isPaid: false, isServed: false, isRefunded: false },
});
const FROZEN: Ending = {
  steps: ['compliance/UNCOMPLIANT'],
  isPaid: true,
  isServed: false,
  isRefunded: false,
};

/** The model. */
export function endingOf({ product, isLarge, plan = [], takenBack, ...kind }: Kind): Ending {
  // A sanctioned address is refused before anything is paid; where money came from it, the money stays.
  if (kind.isWalletSanctioned) return product === 'deposit' ? FROZEN : refusedAt('valida_id/IRREGULAR');
  if (kind.review === 'refuses') return refusedAt('valida_id/DENIED');
  if (takenBack === 'unpaid') return refusedAt('valida_id/DENIED');
  if (kind.isBlockedLater) return kind.isReleased ? ENDED : FROZEN;
  if (!isLarge || plan.at(-1)?.decision === 'approved') return ENDED;
  if (product === 'balance')
    return { steps: ['refund/DONE'], isPaid: true, isServed: false, isRefunded: true };
  // A transaction that asks when the case is denied already is refused at once.
  return refusedAt('valida_id/DENIED', 'valida_id/IRREGULAR');
}

/** One name, as three customers would write it. */
const LISTED_NAMES = [
  'Gonçalves Muller, Joao Antonio',
  'JOÃO ANTÔNIO MÜLLER GONÇALVES',
  'Qaddafi Osama Mahmoud',
];
const MASKED_NAME = 'Pereira, Maria da Conceicao';
/** The digits that the list of PEP shows, and where they stand in a CPF. */
const MASKED_DIGITS = 982_247;
const MASK = 1_000_000;
/** CPFs with the same digits under a mask, at most. */
const MASKS = 800;
const CPF_OTHERS = 70_000;

/** @returns so many customers, all kinds in turn. */
export function customersOf(count: number, random: Random): readonly Customer[] {
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, n) =>
    customerOf(n, ...(kinds[n % kinds.length] as [string, Kind]), random),
  );
}

/** @returns a customer. @param n - another number for each. */
export function customerOf(n: number, name: string, kind: Kind, random: Random): Customer {
  const isSanctioned = kind.isWalletSanctioned && kind.product === 'wallet';
  const wallet = isSanctioned ? SANCTIONED_WALLET : addressOf(0xcc_0000 + n);
  return { n, name, kind, taxId: taxIdOf(n, kind), clientName: nameOf(kind, random), wallet };
}

function taxIdOf(n: number, { listed, isCompany }: Kind): string {
  if (isCompany) return cnpjOf(n);
  if (listed === 'masked') return cpfOf((n % MASKS) * MASK + MASKED_DIGITS);
  if (listed === 'namesake') return cpfOf((n % MASKS) * MASK + MASKED_DIGITS - 1);
  return cpfOf(CPF_OTHERS + n);
}

function nameOf({ listed, isCompany }: Kind, random: Random): string {
  if (listed === 'name') return random.pick(LISTED_NAMES);
  if (listed === 'masked' || listed === 'namesake') return MASKED_NAME;
  return isCompany ? 'Padaria Primavera Ltda' : 'Ana Souza';
}

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;

/** @returns the address that a customer's deposit comes from. */
export const purseOf = ({ n }: Customer) => addressOf(0xdd_0000 + n);

/** @returns the files of the lists, with the companies among the customers. */
export function listFilesOf(customers: readonly Customer[]): typeof LIST_FILES {
  const rows = customers
    .filter(({ kind }) => kind.listed === 'company')
    .map(({ taxId }) => `tax_id,${taxId},fraud,\n`);
  return { ...LIST_FILES, 'own.csv': (LIST_FILES['own.csv'] + rows.join('')) as never };
}
