/** Steps of the templates that begin with a PIX payment: from the quote to the conversion, and possible later steps. */
import { type Label, label } from '../base/text/label.ts';
import { LATE_EVENT, type Step, step } from './define.ts';
import { QUOTE_ENDED_STEPS } from './shared-steps.ts';

/** Differences between the templates: three component names and two labels. */
export interface PixInNames {
  readonly identity: string;
  readonly deposit: string;
  readonly swap: string;
  readonly quoteReady: Label;
  readonly awaitingPayment: Label;
}

/** @returns the steps from the quote to the conversion, in the order of the process. */
export function pixInSteps(names: PixInNames): readonly Step[] {
  return [
    ...quoteSteps(names.quoteReady),
    ...identitySteps(names),
    ...chargeSteps(names),
    ...paymentSteps(names),
    ...swapSteps(names),
  ];
}

/** Steps of a refund of the payment to the payer. */
export const PIX_REFUND_STEPS: readonly Step[] = [
  step(
    ['refund', 'INITIAL'],
    'Processing',
    label('Refund Processing', 'Devolução em Processamento'),
    label('The PIX return is being processed', 'A devolução do PIX está em processamento'),
    { return: true },
  ),
  step(
    ['refund', 'DONE'],
    'Refunded',
    label('Refund Completed', 'Devolução Concluída'),
    label('The payment was returned to the payer', 'O pagamento foi devolvido ao pagador'),
    { ending: 'final', renewable: true, return: true },
  ),
  step(
    ['refund', 'ERROR'],
    'Failed',
    label('Refund Failed', 'Falha na Devolução'),
    label(
      'The PIX return could not be completed; contact support',
      'Não foi possível concluir a devolução do PIX; entre em contato com o suporte',
    ),
    { error: true, ending: 'final', return: true },
  ),
];

/** Steps of a PIX dispute (MED) about a payment that was already converted. */
export const DISPUTE_STEPS: readonly Step[] = [
  step(
    ['dispute', 'OPEN'],
    'Success',
    label('Dispute Opened', 'Contestação Aberta'),
    label(
      'A PIX dispute (MED) was opened; the amount is blocked',
      'Uma contestação PIX (MED) foi aberta; o valor está bloqueado',
    ),
  ),
  step(
    ['dispute', 'ACCEPTED'],
    'Refunded',
    label('Dispute Accepted', 'Contestação Aceita'),
    label(
      'The dispute was accepted and the payment was returned',
      'A contestação foi aceita e o pagamento foi devolvido',
    ),
    { error: true, ending: 'final', leavesRest: true },
  ),
  step(
    ['dispute', 'REJECTED'],
    'Success',
    label('Dispute Rejected', 'Contestação Rejeitada'),
    label(
      'The dispute was rejected and the amount was released',
      'A contestação foi rejeitada e o valor foi liberado',
    ),
    { ending: 'final' },
  ),
];

function quoteSteps(quoteReady: Label): readonly Step[] {
  return [
    step(
      ['quote', 'QUOTE'],
      'Created',
      quoteReady,
      label('Rate presented; awaiting confirmation', 'Cotação apresentada; aguardando confirmação'),
    ),
    step(
      ['quote', 'ACCEPTED'],
      'Created',
      label('Quote Accepted', 'Cotação Aceita'),
      label('Quote accepted by the customer', 'Cotação aceita pelo cliente'),
    ),
    step(
      ['quote', 'EXPIRED'],
      'Cancelled',
      label('Quote Expired', 'Cotação Expirada'),
      label(
        'Session expired before the payment was started',
        'A sessão expirou antes do início do pagamento',
      ),
      { error: true, ending: 'final', renewable: true },
    ),
    ...QUOTE_ENDED_STEPS,
    step(
      ['pre_kyc', 'INFO'],
      'Created',
      label('Collecting Identity', 'Coletando Identificação'),
      label('Collecting the customer CPF or CNPJ', 'Coletando o CPF ou CNPJ do cliente'),
    ),
    step(
      ['pre_kyc', 'CONFIRM'],
      'Created',
      label('Confirming Identity', 'Confirmando Identificação'),
      label('Customer is confirming the document', 'Cliente confirmando o documento'),
    ),
    step(
      ['pre_kyc', 'LIMIT'],
      'Cancelled',
      label('Limit Exceeded', 'Limite Excedido'),
      label(
        'The amount exceeds the limit available for this document',
        'O valor excede o limite disponível para este documento',
      ),
      { error: true, ending: 'final' },
    ),
  ];
}

function identitySteps(names: PixInNames): readonly Step[] {
  return [
    step(
      [names.identity, 'INITIAL'],
      'Pending',
      label('Pending KYC Validation', 'Validação de KYC Pendente'),
      label('Identity check in progress', 'Verificação de identidade em andamento'),
    ),
    step(
      [names.identity, 'PENDING'],
      'Pending',
      label('KYC Step Up Pending', 'Verificação Adicional de KYC Pendente'),
      label(
        'Additional identity verification is required',
        'É necessária uma verificação adicional de identidade',
      ),
    ),
    step(
      [names.identity, 'REVIEW'],
      'Pending',
      label('Manual Review', 'Análise Manual'),
      label('Identity sent to manual review', 'Identidade enviada para análise manual'),
    ),
    step(
      [names.identity, 'IRREGULAR'],
      'Cancelled',
      label('Identity Rejected', 'Identificação Recusada'),
      label(
        'The document is invalid, irregular or not registered',
        'O documento é inválido, irregular ou não está registrado',
      ),
      { error: true, ending: 'final' },
    ),
    step(
      [names.identity, 'DENIED'],
      'Failed',
      label('KYC Step Up Denied', 'Verificação Adicional de KYC Negada'),
      label(
        'Additional identity verification was denied',
        'A verificação adicional de identidade foi negada',
      ),
      { error: true, ending: LATE_EVENT },
    ),
  ];
}

/** Steps of the charge, before a payment. */
function chargeSteps(names: PixInNames): readonly Step[] {
  return [
    step(
      [names.deposit, 'QRCODE'],
      'Pending',
      names.awaitingPayment,
      label(
        'QR code generated; awaiting customer payment confirmation',
        'QR code gerado; aguardando confirmação de pagamento do cliente',
      ),
    ),
    step(
      [names.deposit, 'EXPIRED'],
      'Expired',
      label('PIX Deposit Expired', 'Depósito PIX Expirado'),
      label('The PIX charge expired without payment', 'A cobrança PIX expirou sem pagamento'),
      { ending: LATE_EVENT, renewable: true },
    ),
    step(
      [names.deposit, 'ERROR'],
      'Failed',
      label('Error on PIX Deposit', 'Erro no Depósito PIX'),
      label(
        'The PIX charge could not be created or processed',
        'Não foi possível criar ou processar a cobrança PIX',
      ),
      { error: true, ending: 'final', renewable: true },
    ),
  ];
}

/** Steps of the payment, and of the checks before its conversion. */
function paymentSteps(names: PixInNames): readonly Step[] {
  return [
    step(
      [names.deposit, 'PAID'],
      'Processing',
      label('PIX Deposit Completed', 'Depósito PIX Concluído'),
      label('PIX payment received', 'Pagamento PIX recebido'),
    ),
    step(
      [names.deposit, 'UNDERPAID'],
      'Pending',
      label('Underpaid', 'Pagamento a Menor'),
      label(
        'The amount received is lower than expected; it will be returned or re-quoted',
        'O valor recebido é menor que o esperado; será devolvido ou recotado',
      ),
      { error: true, return: true },
    ),
    step(
      [names.deposit, 'OVERPAID'],
      'Processing',
      label('Overpaid', 'Pagamento a Maior'),
      label(
        'The amount received is higher than expected; the excess will be returned',
        'O valor recebido é maior que o esperado; o excedente será devolvido',
      ),
    ),
    step(
      [names.deposit, 'LATE'],
      'Pending',
      label('Late Payment', 'Pagamento Fora do Prazo'),
      label(
        'Payment received after expiration; it will be returned',
        'Pagamento recebido após a expiração; será devolvido',
      ),
      { error: true, return: true },
    ),
    step(
      [names.deposit, 'DIVERGENT'],
      'Cancelled',
      label('PIX Deposit Divergent Titularity', 'Titularidade Divergente no Depósito PIX'),
      label(
        'The PIX payer is not the identified customer; the payment will be returned',
        'O pagador do PIX não é o cliente identificado; o pagamento será devolvido',
      ),
      { error: true, return: true },
    ),
  ];
}

function swapSteps(names: PixInNames): readonly Step[] {
  return [
    step(
      ['compliance', 'UNCOMPLIANT'],
      'Pending',
      label('Compliance Review', 'Análise de Conformidade'),
      label('Payment held for compliance review', 'Pagamento retido para análise de conformidade'),
    ),
    step(
      [names.swap, 'INITIAL'],
      'Processing',
      label('Swap Fiat → Crypto', 'Conversão de Reais para Cripto'),
      label('Funds are being converted to crypto', 'Os fundos estão sendo convertidos em cripto'),
    ),
    step(
      [names.swap, 'ERROR'],
      'Failed',
      label('Swap Fiat → Crypto Failed', 'Falha na Conversão de Reais para Cripto'),
      label('The conversion from BRL to crypto failed', 'A conversão de BRL para cripto falhou'),
      { error: true },
    ),
  ];
}
