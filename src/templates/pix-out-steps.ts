/** The common steps of the templates that end with a PIX payout: the quote and the payee. */
import { label } from '../base/text/label.ts';
import { type Step, step } from './define.ts';
import { QUOTE_ENDED_STEPS } from './shared-steps.ts';

/** Steps from the quote to an admitted payee. */
export const QUOTE_AND_PAYEE_STEPS: readonly Step[] = [
  step(
    ['quote', 'QUOTE'],
    'Created',
    label('Quote Available', 'Cotação Disponível'),
    label('Rate presented; awaiting confirmation', 'Cotação apresentada; aguardando confirmação'),
  ),
  step(
    ['quote', 'ACCEPTED'],
    'Created',
    label('Quote Accepted', 'Cotação Aceita'),
    label('Quote accepted', 'Cotação aceita'),
  ),
  step(
    ['quote', 'EXPIRED'],
    'Cancelled',
    label('Quote Expired', 'Cotação Expirada'),
    label('The quote expired before it was used', 'A cotação expirou antes de ser utilizada'),
    { error: true, ending: 'final', renewable: true },
  ),
  ...QUOTE_ENDED_STEPS,
  step(
    ['pre_kyc', 'INFO'],
    'Created',
    label('Collecting Payee Data', 'Coletando Dados do Recebedor'),
    label('Collecting the payee document and PIX key', 'Coletando o documento e a chave PIX do recebedor'),
    { headline: label('Needs recipient details', 'Faltam dados do destinatário') },
  ),
  step(
    ['pre_kyc', 'LIMIT'],
    'Cancelled',
    label('Limit Exceeded', 'Limite Excedido'),
    label(
      'The amount exceeds the limit available for this payee',
      'O valor excede o limite disponível para este recebedor',
    ),
    { error: true, ending: 'final' },
  ),
  step(
    ['kyc_payee', 'INITIAL'],
    'Pending',
    label('Pending KYC Validation', 'Validação de KYC Pendente'),
    label('Payee identity check in progress', 'Verificação da identidade do recebedor em andamento'),
  ),
  step(
    ['kyc_payee', 'PENDING'],
    'Pending',
    label('KYC Step Up Pending', 'Verificação Adicional de KYC Pendente'),
    label(
      'Additional identity verification of the payee is required',
      'É necessária uma verificação adicional da identidade do recebedor',
    ),
  ),
  step(
    ['kyc_payee', 'REVIEW'],
    'Pending',
    label('Manual Review', 'Análise Manual'),
    label('Payee sent to manual review', 'Recebedor enviado para análise manual'),
  ),
  step(
    ['kyc_payee', 'DENIED'],
    'Failed',
    label('KYC Step Up Denied', 'Verificação Adicional de KYC Negada'),
    label(
      'The identity verification of the payee was denied',
      'A verificação da identidade do recebedor foi negada',
    ),
    { error: true, ending: 'final' },
  ),
  step(
    ['kyc_payee', 'DIVERGENT'],
    'Cancelled',
    label('PIX Key Divergent Titularity', 'Titularidade Divergente da Chave PIX'),
    label('The PIX key does not belong to the payee', 'A chave PIX não pertence ao recebedor'),
    { error: true, ending: 'final' },
  ),
];

/** Steps of the conversion at the locked quote. */
export const SWAP_OUT_STEP: Step = step(
  ['swap_transfer', 'INITIAL'],
  'Processing',
  label('Swap Crypto → Fiat', 'Conversão de Cripto para Reais'),
  label('The crypto is being converted to BRL', 'A cripto está sendo convertida em reais'),
);

/** Steps of the payout. */
export const PIX_SENDING_STEP: Step = step(
  ['pix_out', 'SENDING'],
  'Processing',
  label('Sending PIX', 'Enviando PIX'),
  label('The PIX transfer is being sent to the payee', 'A transferência PIX está sendo enviada ao recebedor'),
);
