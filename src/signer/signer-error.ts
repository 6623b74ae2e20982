/** Reasons for which the signer does not start, and does not sign. */

/** A problem that the operator has to solve; the message describes it. */
export class SignerError extends Error {
  override readonly name = 'SignerError';
}

/** Reasons for which a transaction is not signed; docs/signer.md explains each. */
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
  'limit_minute',
  'limit_hour',
  'limit_day',
] as const;

/** A member of REASONS. */
export type Reason = (typeof REASONS)[number];

/** A refusal, without any entry in the record. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
