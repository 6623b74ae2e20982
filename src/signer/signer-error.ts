/** Errors for a signer that cannot start, and for a refused transaction. */

/** A problem that the operator must solve; the message describes it. */
export class SignerError extends Error {
  override readonly name = 'SignerError';
}

/** Reasons of refusals; docs/signer.md explains each. */
export const REASONS = [
  'unreadable',
  'network',
  'chain',
  'key',
  'call',
  'value_unknown',
  'destination',
  'proof_missing',
  'proof_wrong',
  'enrolment',
  'limit_fee',
  'id_reused',
  'nonce_reused',
  'fee_not_higher',
  'transaction_limit',
  'limit_unproven',
  'limit_minute',
  'limit_hour',
  'limit_day',
] as const;

/** A member of REASONS. */
export type Reason = (typeof REASONS)[number];

/** A refused request; the record gets no entry for it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
