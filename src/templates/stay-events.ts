/** Events that are published without a change of step. A new event is a row here, which its transition names. */
import { label } from '../base/text/label.ts';

/** Each event by the last two parts of its name, with its meaning in one sentence, and its headline. */
export const STAY_EVENTS = {
  'partial_refund.requested': {
    doc: 'A part of the payment is going back to its payer.',
    headline: label('Partial refund started', 'Devolução parcial iniciada'),
  },
  'partial_refund.done': {
    doc: 'A part of the payment was returned to its payer.',
    headline: label('Partially refunded', 'Devolvido parcialmente'),
  },
  'partial_refund.failed': {
    doc: 'A part of the payment could not be returned; it was credited back to the balance.',
    headline: label('Partial refund failed', 'Falha na devolução parcial'),
  },
  'med_case.opened': {
    doc: 'The payer’s bank reported the payment as fraud (MED); it cannot be refunded until the case is decided.',
    headline: label('Fraud reported', 'Fraude notificada'),
  },
  'med_case.due_48h': {
    doc: 'A MED case about the payment has to be answered within 48 hours.',
    headline: label('Answer due in 48 h', 'Defesa vence em 48 h'),
  },
  'med_case.due_24h': {
    doc: 'A MED case about the payment has to be answered within 24 hours.',
    headline: label('Answer due in 24 h', 'Defesa vence em 24 h'),
  },
  'med_case.due_6h': {
    doc: 'A MED case about the payment has to be answered within 6 hours.',
    headline: label('Answer due in 6 h', 'Defesa vence em 6 h'),
  },
  'med_case.closed': {
    doc: 'The report of fraud about the payment (MED) was decided or cancelled.',
    headline: label('Fraud report closed', 'Notificação encerrada'),
  },
  'money_out.held': {
    doc: 'Money out is above a ceiling of the account; it waits until two people lift it.',
    headline: label('Money out is held', 'Saída de dinheiro retida'),
  },
} as const;
/** A member of STAY_EVENTS. */
export type StayEvent = keyof typeof STAY_EVENTS;
