/**
 * Names of the steps at which imported history was paid. History has no working facts, so only its published step is
 * available.
 */
export const HISTORY_STEPS = {
  undoneStates: ['ERROR', 'REJECTED', 'RETURNED', 'ACCEPTED'],
  paidComponents: ['success', 'swap_transfer', 'swap_transfer_v2', 'crypto_out', 'pix_out', 'dispute'],
  /** Delivery of a BRL payment failed, and the crypto was credited. */
  creditedComponent: 'partial_success',
} as const;
