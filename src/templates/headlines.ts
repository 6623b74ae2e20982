/** Headlines of steps and events: the movement of money as the account holder sees it, in words that fit a row. */
import { type Label, label } from '../base/text/label.ts';
import type { Step } from './define.ts';
import { STAY_EVENTS } from './stay-events.ts';

const IDENTITY = label('Checking the payer', 'Verificando o pagador');
const PAYEE = label('Checking the recipient', 'Verificando o destinatário');
const DOCUMENT = label('Waiting for a document', 'Aguardando documento');
const CANCELLED = label('Cancelled', 'Cancelada');
const LOW = label('Insufficient balance', 'Saldo insuficiente');
const CONFIRMING = label('Confirming on the network', 'Confirmando na rede');
const NEVER_PAID = label('Not paid', 'Não paga');
const CONVERTING = label('Converting', 'Convertendo');
const DIFFERS = label('On hold: different amount', 'Retido: valor diferente');

/** By component and state; a version suffix of a component, such as `_v2`, is ignored. */
export const HEADLINES: Readonly<Record<string, Label>> = {
  // Headlines before a payment.
  'static_entry/AMOUNT': label('Choosing the amount', 'Escolhendo o valor'),
  'quote/QUOTE': label('Quoted', 'Cotada'),
  'quote/ACCEPTED': label('Quote accepted', 'Cotação aceita'),
  'quote/EXPIRED': NEVER_PAID,
  'quote/ERROR': label('No quote', 'Sem cotação'),
  'quote/CANCELLED': CANCELLED,
  'pre_kyc/INFO': label('Waiting for payer details', 'Aguardando dados do pagador'),
  'pre_kyc/CONFIRM': label('Waiting for payer details', 'Aguardando dados do pagador'),
  'pre_kyc/LIMIT': label('Above the limit', 'Acima do limite'),
  'valida_id/INITIAL': IDENTITY,
  'valida_id/PENDING': DOCUMENT,
  'valida_id/REVIEW': label('Identity under review', 'Identidade em análise'),
  'valida_id/IRREGULAR': label('Invalid CPF or CNPJ', 'CPF ou CNPJ irregular'),
  'valida_id/DENIED': label('Document rejected', 'Documento recusado'),
  'kyc_payee/INITIAL': PAYEE,
  'kyc_payee/PENDING': DOCUMENT,
  'kyc_payee/REVIEW': label('Recipient under review', 'Destinatário em análise'),
  'kyc_payee/DENIED': label('Document rejected', 'Documento recusado'),
  'kyc_payee/DIVERGENT': label('PIX key of someone else', 'Chave Pix de outra pessoa'),

  // Headlines of payments by PIX.
  'depositpix/QRCODE': label('Waiting for payment', 'Aguardando pagamento'),
  'depositpix/EXPIRED': NEVER_PAID,
  'depositpix/ERROR': label('No PIX code', 'Sem código Pix'),
  'depositpix/PAID': label('PIX received', 'Pix recebido'),
  'depositpix/UNDERPAID': label('Underpaid', 'Pago a menor'),
  'depositpix/OVERPAID': label('Overpaid', 'Pago a maior'),
  'depositpix/LATE': label('Paid late', 'Pago fora do prazo'),
  'depositpix/DIVERGENT': label('Paid by someone else', 'Pago por terceiro'),
  'compliance/UNCOMPLIANT': label('Under review', 'Em análise'),
  'swap_transfer/INITIAL': CONVERTING,
  'swap_transfer/ERROR': label('Conversion failed', 'Conversão falhou'),

  // Headlines of deposits of crypto.
  'crypto_deposit/WAITING_DEPOSIT': label('Waiting for deposit', 'Aguardando depósito'),
  'crypto_deposit/DETECTED': label('Deposit detected', 'Depósito detectado'),
  'crypto_deposit/DROPPED': label('Deposit dropped', 'Depósito descartado'),
  'crypto_deposit/DONE': label('Deposit confirmed', 'Depósito confirmado'),
  'crypto_deposit/EXPIRED': label('No deposit received', 'Nenhum depósito recebido'),
  'crypto_deposit/UNDERPAID': DIFFERS,
  'crypto_deposit/OVERPAID': DIFFERS,
  'crypto_deposit/LATE': label('On hold: arrived late', 'Retido: chegou fora do prazo'),

  // Headlines of sent money.
  'reserve/DONE': label('Reserved from balance', 'Reservado do saldo'),
  'reserve/ERROR': LOW,
  'pix_out/SENDING': label('PIX on its way', 'Pix a caminho'),
  'pix_out/REJECTED': label('Rejected by the bank', 'Recusado pelo banco'),
  'pix_out/RETURNED': label('Returned by the bank', 'Devolvido pelo banco'),
  'crypto_out/INITIAL': label('Sending to the wallet', 'Enviando para a carteira'),
  'crypto_out/BROADCAST': CONFIRMING,
  'partial_success/DONE': label('Credited, not sent', 'Creditado, não enviado'),
  'success/DONE': label('Paid', 'Pago'),

  // Headlines of refunds, and of disputes of a payer's bank.
  'refund/INITIAL': label('Refunding', 'Devolução em andamento'),
  'refund/DONE': label('Refunded', 'Devolvido'),
  'refund/ERROR': label('Refund failed', 'Falha na devolução'),
  'dispute/OPEN': label('Disputed', 'Contestado'),
  'dispute/ACCEPTED': label('Dispute lost', 'Contestação aceita'),
  'dispute/REJECTED': label('Dispute won', 'Contestação rejeitada'),

  // Withdrawals.
  'request_withdrawl_dash/INITIAL': label('Requested', 'Solicitado'),
  'request_withdrawl_dash/ERROR': LOW,
  'approval_withdrawl_dash/PENDING': label('Needs approval', 'Precisa de aprovação'),
  'approval_withdrawl_dash/REJECTED': label('Declined', 'Recusado'),
  'approval_withdrawl_dash/CANCELLED': CANCELLED,
  'send_withdrawl_dash/SENDING': label('On its way', 'A caminho'),
  'send_withdrawl_dash/BROADCAST': CONFIRMING,
  'send_withdrawl_dash/ERROR': label('Could not be sent', 'Envio falhou'),
  'success_withdrawl_dash/DONE': label('Sent', 'Enviado'),
  'success_withdrawl_dash/RETURNED': label('Bank sent it back', 'Banco devolveu'),
};

/** @returns the headline of a step; the published label if it has none, as in imported history. */
export function headlineOf({ component, state, status, substatus, headline }: Step): Label {
  if (headline) return headline;
  const own = HEADLINES[`${component.replace(/_v\d+$/, '')}/${state}`];
  return own ?? (substatus.en ? substatus : status);
}

/** @returns the headline of an event: its own if the step stays, otherwise that of the new step. */
export function eventHeadlineOf(name: string, step: Step): Label {
  const events: Readonly<Record<string, { readonly headline: Label }>> = STAY_EVENTS;
  return events[name.split('.').slice(-2).join('.')]?.headline ?? headlineOf(step);
}
