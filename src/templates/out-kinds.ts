/**
 * Kinds of money out by a transition (C-25): a transition names its kind if it lowers `available`, chooses a
 * destination of money, or makes a rail send some. The rule for the checked kinds is in
 * `resolvers/engine/rule-money-out.ts`.
 */

/** Kinds of money out that the rule checks: the account holder chooses amount or destination. */
export const RULED_KINDS = {
  withdrawal: 'Out of the balance to an entry of the whitelist.',
  payout: 'Out of the balance to the PIX key of a payee.',
  refund: 'Out of the balance to the payer of a finished payment.',
  redirect: 'A held deposit to another address than the one that it came from.',
} as const;
/** A member of RULED_KINDS. */
export type RuledKind = keyof typeof RULED_KINDS;

/** Kinds that the rule does not check, with the reason. */
export const FREE_KINDS = {
  fixed: 'To its payer, or to a destination that was fixed before the payer paid.',
  reserved: 'Passed the rule when it was reserved.',
  demanded: 'A bank demands it (MED); it is held, and goes to the payer.',
} as const;
/** Kind of money out by a transition. */
export type OutKind = RuledKind | keyof typeof FREE_KINDS;

/** @returns whether the rule checks the kind. */
export function isRuled(kind: OutKind | undefined): kind is RuledKind {
  return kind !== undefined && Object.hasOwn(RULED_KINDS, kind);
}
