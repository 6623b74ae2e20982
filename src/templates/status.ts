/** The broad status of a step as a code, for programs: its label is for people. */
/** Meaning of each status. */
export const STATUS_CODES = {
  CREATED: 'It exists; nobody is asked to pay yet.',
  PENDING: 'It waits for a payment, a check, or a decision.',
  PROCESSING: 'It was paid or reserved, and is being carried out.',
  SUCCESS: 'It is done.',
  PARTIAL_SUCCESS: 'A part of it is done.',
  FAILED: 'It could not be carried out.',
  EXPIRED: 'Nothing was paid in time.',
  CANCELLED: 'It was ended before it was carried out.',
  REFUNDED: 'The payment went back.',
  UNKNOWN: 'It is imported history at a step that the catalogue does not have.',
} as const;
/** A member of STATUS_CODES. */
export type StatusCode = keyof typeof STATUS_CODES;

/** The broad labels of `status`, in both languages (states.json). */
export const STATUS = {
  Created: 'Criado',
  Pending: 'Pendente',
  Processing: 'Processando',
  Success: 'Sucesso',
  'Partial Success': 'Sucesso Parcial',
  Failed: 'Falha',
  Expired: 'Expirado',
  Cancelled: 'Cancelado',
  Refunded: 'Reembolsado',
} as const;

/** Statuses of a transaction that has succeeded, at least in part. */
export const FINISHED: readonly StatusCode[] = ['SUCCESS', 'PARTIAL_SUCCESS'];
/** Statuses of a transaction that ended without success, or whose payment was returned. */
export const UNDONE: readonly StatusCode[] = ['FAILED', 'CANCELLED', 'EXPIRED', 'REFUNDED'];

/** @returns the code of a label. */
export function statusCodeOf(label: keyof typeof STATUS): StatusCode {
  return label.toUpperCase().replace(' ', '_') as StatusCode;
}
