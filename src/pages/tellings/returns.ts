/** What is said of money that goes back, and why it does. */
import { type Label, label } from '../../base/label.ts';
import { type Tellings, tell } from './telling.ts';

/** All of a payment goes back. */
export const RETURNING = {
  title: label('Your {back} is on its way back', 'Seus {back} estão sendo devolvidos'),
  ptOne: 'Seu {back} está sendo devolvido',
  sign: 'returned',
  tone: 'info',
  isQuiet: true,
} as const;
const RETURNED = {
  title: label('{back} was sent back to you', '{back} foram devolvidos para você'),
  ptOne: '{back} foi devolvido para você',
  sign: 'returned',
  tone: 'info',
} as const;

/** Why money goes back, by the step that decided it. */
export const REASONS: Readonly<Record<string, Label>> = {
  'depositpix/UNDERPAID': label(
    '{paid} arrived, but {price} was due. A PIX has to be exact, so all of it goes back.',
    'Chegaram {paid}, mas o valor era {price}. O PIX precisa ser exato, então tudo é devolvido.',
  ),
  'depositpix/LATE': label(
    'It arrived after the time to pay was over.',
    'Ele chegou depois do fim do prazo para pagar.',
  ),
  'depositpix/DIVERGENT': label(
    'The PIX has to come from an account of {name}. This one came from someone else’s.',
    'O PIX precisa sair de uma conta de {name}. Este saiu da conta de outra pessoa.',
  ),
  'swap_transfer/ERROR': label('It could not be converted.', 'Não foi possível fazer a conversão.'),
  'valida_id/DENIED': label(
    '{merchant} cannot take it without the document that was asked for.',
    'Sem o documento pedido, {merchant} não pode aceitá-lo.',
  ),
};

/** Steps of returns and disputes. */
export const RETURNS: Tellings = {
  'success/DONE+excess': {
    tone: 'good',
    sign: 'check',
    isQuiet: true,
    title: label('Paid. {excess} is on its way back', 'Pago. {excess} estão sendo devolvidos'),
    ptOne: 'Pago. {excess} está sendo devolvido',
    why: label('You paid {paid}, and {price} was due.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  'success/DONE+returned': {
    tone: 'good',
    sign: 'check',
    title: label('Paid. {excess} was sent back to you', 'Pago. {excess} foram devolvidos para você'),
    ptOne: 'Pago. {excess} foi devolvido para você',
    why: label('You paid {paid}, and {price} was due.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  // What goes back.
  'refund/INITIAL': RETURNING,
  'refund/DONE': RETURNED,
  'refund/ERROR': tell(
    'bad',
    'warning',
    label('We could not send your money back yet', 'Ainda não conseguimos devolver seu dinheiro'),
    label(
      'Ask {merchant} for help and name the reference below.',
      'Peça ajuda a {merchant} e informe a referência abaixo.',
    ),
  ),
  'dispute/OPEN': tell(
    'info',
    'bank',
    label('Your bank is looking into this payment', 'Seu banco está analisando este pagamento'),
    label(
      'A dispute (MED) was opened; the amount is blocked until it is decided.',
      'Uma contestação (MED) foi aberta; o valor está bloqueado até a decisão.',
    ),
  ),
  'dispute/ACCEPTED': {
    ...RETURNED,
    why: label('Your bank accepted the dispute.', 'Seu banco aceitou a contestação.'),
  },
  'dispute/REJECTED': tell(
    'info',
    'bank',
    label('Your bank decided that the payment stands', 'Seu banco decidiu manter o pagamento'),
    label('The dispute was rejected.', 'A contestação foi rejeitada.'),
  ),
};
