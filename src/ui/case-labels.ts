/** Names of what happens to a case, for people: on screens and in evidence packs. */
import { type Label, label } from '../base/text/label.ts';

/** Events of a MED case. */
export const MED_EVENT_LABELS: Readonly<Record<string, Label>> = {
  opened: label('Opened by the payer’s bank', 'Aberto pelo banco do pagador'),
  payment_found: label('Payment found', 'Pagamento encontrado'),
  due_48h: label('Due in 48 hours', 'Vence em 48 horas'),
  due_24h: label('Due in 24 hours', 'Vence em 24 horas'),
  due_6h: label('Due in 6 hours', 'Vence em 6 horas'),
  attached: label('File attached', 'Arquivo anexado'),
  evidence_made: label('Evidence pack created', 'Pacote de evidências gerado'),
  answered: label('Answered', 'Respondido'),
  answer_sent: label('Answer received by the bank', 'Resposta recebida pelo banco'),
  answer_refused: label('Answer refused by the bank', 'Resposta recusada pelo banco'),
  answer_dropped: label('Answer not sent', 'Resposta não enviada'),
  answer_withdrawn: label('Answer withdrawn', 'Resposta retirada'),
  answered_elsewhere: label('Answered on the bank’s screens', 'Respondido nas telas do banco'),
  accepted: label('Accepted', 'Aceito'),
  rejected: label('Rejected', 'Rejeitado'),
  cancelled: label('Withdrawn by the payer’s bank', 'Cancelado pelo banco do pagador'),
};

/** Levels of a customer. */
export const LEVEL_LABELS = {
  BASIC: label('Basic (name and tax ID)', 'Básica (nome e CPF/CNPJ)'),
  VERIFIED: label('Identity verified', 'Identidade verificada'),
} as const;

/** States of an identity check. */
export const CASE_STATE_LABELS = {
  open: label('Open', 'Aberta'),
  pending: label('With the provider', 'Com o provedor'),
  approved: label('Approved', 'Aprovada'),
  denied: label('Denied', 'Negada'),
  retry: label('Customer has to retry', 'Cliente deve repetir'),
  review: label('In review', 'Em análise'),
  expired: label('Expired', 'Expirada'),
  frozen: label('Customer frozen', 'Cliente bloqueado'),
} as const;

/** States of a refund. */
export const RETURN_STATE_LABELS = {
  requested: label('requested', 'solicitada'),
  done: label('completed', 'concluída'),
  failed: label('failed', 'falhou'),
  retried: label('retried', 'tentada de novo'),
  credited_back: label('credited back', 'creditada de volta'),
  paid_by_hand: label('marked as paid', 'marcada como paga'),
} as const;
