/** Traits of families: use cases read them here, and never compare names. */
import type { ActionName } from '../base/access/actions.ts';
import type { Family } from './define.ts';

/** Properties of every template of a family. */
export interface FamilyTraits {
  /** Direction: BRL comes in by PIX, or goes out by PIX; a withdrawal leaves in its own currency. */
  readonly flow: 'in' | 'out' | 'withdrawal';
  /** Whether its hosted page asks for the amount and the customer that a creation leaves open. */
  readonly promptsOnPage: boolean;
  /** Whether a payer pays a shop; then rates are shown only if the shop wants it. */
  readonly paysShop: boolean;
  readonly permissions: { readonly create: ActionName; readonly cancel: ActionName };
}

/** By family. Scope of a creation: moving money out of the account needs more than creating a charge. */
export const FAMILY_TRAITS: Readonly<Record<Family, FamilyTraits>> = {
  checkouts: {
    flow: 'in',
    promptsOnPage: true,
    paysShop: true,
    permissions: { create: 'checkout.create', cancel: 'transaction.cancel' },
  },
  onramps: {
    flow: 'in',
    promptsOnPage: false,
    paysShop: false,
    permissions: { create: 'onramp.create', cancel: 'transaction.cancel' },
  },
  offramps: {
    flow: 'out',
    promptsOnPage: false,
    paysShop: false,
    permissions: { create: 'offramp.create', cancel: 'transaction.cancel' },
  },
  withdrawals: {
    flow: 'withdrawal',
    promptsOnPage: false,
    paysShop: false,
    permissions: { create: 'withdrawal.create', cancel: 'withdrawal.cancel' },
  },
};
