/** What the console says of a step: what happened to the money, as the merchant sees it, in words that fit a row. */
import { type Label, label } from '../../base/label.ts';

const IDENTITY = label('Checking who pays', 'Conferindo quem paga');
const PAYEE = label('Checking the payee', 'Conferindo o recebedor');
const DOCUMENT = label('Needs a document', 'Precisa de um documento');
const CANCELLED = label('Cancelled', 'Cancelada');
const LOW = label('Balance too low', 'Saldo insuficiente');
const CONFIRMING = label('Confirming on the network', 'Confirmando na rede');
const NEVER_PAID = label('Never paid', 'Não foi paga');
const CONVERTING = label('Converting', 'Convertendo');
const DIFFERS = label('Held: another amount came', 'Retido: veio outro valor');

/** By component and state; a version at the end of a component's name, such as `_v2`, says nothing here. */
export const STEP_WORDS: Readonly<Record<string, Label>> = {
  // Before anything is paid.
  'static_entry/AMOUNT': label('Choosing the amount', 'Escolhendo o valor'),
  'quote/QUOTE': label('Has a price', 'Tem cotação'),
  'quote/ACCEPTED': label('Price accepted', 'Cotação aceita'),
  'quote/EXPIRED': NEVER_PAID,
  'quote/ERROR': label('No price', 'Sem cotação'),
  'quote/CANCELLED': CANCELLED,
  'pre_kyc/INFO': label('Asking who pays', 'Perguntando quem paga'),
  'pre_kyc/CONFIRM': label('Asking who pays', 'Perguntando quem paga'),
  'pre_kyc/LIMIT': label('Above the limit', 'Acima do limite'),
  'valida_id/INITIAL': IDENTITY,
  'valida_id/PENDING': DOCUMENT,
  'valida_id/REVIEW': label('A person checks who pays', 'Pagador em conferência'),
  'valida_id/IRREGULAR': label('CPF or CNPJ not valid', 'CPF ou CNPJ irregular'),
  'valida_id/DENIED': label('Document refused', 'Documento recusado'),
  'kyc_payee/INITIAL': PAYEE,
  'kyc_payee/PENDING': DOCUMENT,
  'kyc_payee/REVIEW': label('A person checks the payee', 'Recebedor em conferência'),
  'kyc_payee/DENIED': label('Document refused', 'Documento recusado'),
  'kyc_payee/DIVERGENT': label('PIX key of somebody else', 'Chave PIX de outra pessoa'),

  // A payment by PIX.
  'depositpix/QRCODE': label('Waits for the PIX', 'Espera o PIX'),
  'depositpix/EXPIRED': NEVER_PAID,
  'depositpix/ERROR': label('No PIX code', 'Sem código PIX'),
  'depositpix/PAID': label('PIX arrived', 'PIX recebido'),
  'depositpix/UNDERPAID': label('Paid too little', 'Pago a menos'),
  'depositpix/OVERPAID': label('Paid too much', 'Pago a mais'),
  'depositpix/LATE': label('Paid too late', 'Pago fora do prazo'),
  'depositpix/DIVERGENT': label('Paid by somebody else', 'Pago por outra pessoa'),
  'compliance/UNCOMPLIANT': label('Held for review', 'Retida para análise'),
  'swap_transfer/INITIAL': CONVERTING,
  'swap_transfer/ERROR': label('Could not be converted', 'Conversão falhou'),

  // A deposit of crypto.
  'crypto_deposit/WAITING_DEPOSIT': label('Waits for the deposit', 'Espera o depósito'),
  'crypto_deposit/DETECTED': label('Deposit seen', 'Depósito visto'),
  'crypto_deposit/DROPPED': label('Deposit dropped', 'Depósito descartado'),
  'crypto_deposit/DONE': label('Deposit confirmed', 'Depósito confirmado'),
  'crypto_deposit/EXPIRED': label('No deposit came', 'Nenhum depósito veio'),
  'crypto_deposit/UNDERPAID': DIFFERS,
  'crypto_deposit/OVERPAID': DIFFERS,
  'crypto_deposit/LATE': label('Held: came too late', 'Retido: veio fora do prazo'),

  // What is sent.
  'reserve/DONE': label('Taken from the balance', 'Tirado do saldo'),
  'reserve/ERROR': LOW,
  'pix_out/SENDING': label('PIX on its way', 'PIX a caminho'),
  'pix_out/REJECTED': label('Bank refused the PIX', 'Banco recusou o PIX'),
  'pix_out/RETURNED': label('Bank sent it back', 'Banco devolveu'),
  'crypto_out/INITIAL': label('Sending to the wallet', 'Enviando para a carteira'),
  'crypto_out/BROADCAST': CONFIRMING,
  'partial_success/DONE': label('Credited, not sent on', 'Creditado, não enviado'),
  'success/DONE': label('Paid', 'Pago'),

  // What goes back, and what a payer's bank disputes.
  'refund/INITIAL': label('On its way back', 'Sendo devolvido'),
  'refund/DONE': label('Sent back', 'Devolvido'),
  'refund/ERROR': label('Could not be sent back', 'Devolução falhou'),
  'dispute/OPEN': label('Disputed', 'Contestado'),
  'dispute/ACCEPTED': label('Dispute lost', 'Contestação aceita'),
  'dispute/REJECTED': label('Dispute won', 'Contestação rejeitada'),

  // Withdrawals.
  'request_withdrawl_dash/INITIAL': label('Ordered', 'Pedido'),
  'request_withdrawl_dash/ERROR': LOW,
  'approval_withdrawl_dash/PENDING': label('Needs approval', 'Precisa de aprovação'),
  'approval_withdrawl_dash/REJECTED': label('Not approved', 'Não aprovado'),
  'approval_withdrawl_dash/CANCELLED': CANCELLED,
  'send_withdrawl_dash/SENDING': label('On its way', 'A caminho'),
  'send_withdrawl_dash/BROADCAST': CONFIRMING,
  'send_withdrawl_dash/ERROR': label('Could not be sent', 'Envio falhou'),
  'success_withdrawl_dash/DONE': label('Sent', 'Enviado'),
  'success_withdrawl_dash/RETURNED': label('Bank sent it back', 'Banco devolveu'),
};

/** By the two last parts of its name: what happened beside a step, which stays. */
export const EVENT_WORDS: Readonly<Record<string, Label>> = {
  'partial_refund.requested': label('A part goes back', 'Uma parte é devolvida'),
  'partial_refund.done': label('A part was sent back', 'Uma parte foi devolvida'),
  'partial_refund.failed': label('A part could not go back', 'Devolução de parte falhou'),
};

/** A step as the documents ask for it. */
export interface StepShown {
  readonly component: string;
  readonly state: string;
  readonly status: Label;
  readonly substatus: Label;
}

/** @returns the words of a step; the published label of one that has none, as imported history may. */
export function stepWord({ component, state, status, substatus }: StepShown): Label {
  const own = STEP_WORDS[`${component.replace(/_v\d+$/, '')}/${state}`];
  return own ?? (substatus.en ? substatus : status);
}

/** @returns the words of an event: its own where the step stays, else those of the step that it tells of. */
export function eventWord({ name, ...step }: StepShown & { readonly name: string }): Label {
  return EVENT_WORDS[name.split('.').slice(-2).join('.')] ?? stepWord(step);
}
