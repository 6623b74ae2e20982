/** Messages about refunds, and their reasons. */
import { type Label, label } from '../../base/text/label.ts';
import { message, type StepMessages } from './message.ts';

/** Messages about a refund of the whole payment. */
export const RETURNING = {
  title: label('Your {back} is on its way back', 'Estamos devolvendo {back}'),
  sign: 'returned',
  tone: 'info',
  isQuiet: true,
} as const;
const RETURNED = {
  title: label('{back} was sent back to you', 'Devolvemos {back} para você'),
  sign: 'returned',
  tone: 'info',
} as const;

/** Reasons for a refund, by the step that decided it. */
export const REASONS: Readonly<Record<string, Label>> = {
  'depositpix/UNDERPAID': label(
    'You paid {paid} instead of {price}. We can only accept the exact amount, so we’re refunding all of it.',
    'Recebemos {paid}, mas o valor era {price}. Só aceitamos o valor exato, por isso estamos devolvendo tudo.',
  ),
  'depositpix/LATE': label('Your payment arrived after the deadline.', 'O pagamento chegou depois do prazo.'),
  'depositpix/DIVERGENT': label(
    'The PIX has to come from an account of {name}. This one came from someone else’s.',
    'O Pix precisa sair de uma conta de {name}. Este saiu da conta de outra pessoa.',
  ),
  'crypto_deposit/UNDERPAID': label('A different amount arrived.', 'Chegou um valor diferente.'),
  'crypto_deposit/OVERPAID': label('A different amount arrived.', 'Chegou um valor diferente.'),
  'crypto_deposit/LATE': label(
    'Your deposit arrived after the deadline.',
    'O depósito chegou depois do prazo.',
  ),
  'swap_transfer/ERROR': label('It could not be converted.', 'Não foi possível fazer a conversão.'),
  'valida_id/DENIED': label(
    '{merchant} can’t accept it without the requested document.',
    'Sem o documento solicitado, {merchant} não pode aceitar o pagamento.',
  ),
};

/** Messages about refunds and disputes. */
export const RETURNS: StepMessages = {
  'success/DONE+excess': {
    tone: 'good',
    sign: 'check',
    isQuiet: true,
    title: label('Paid. {excess} is on its way back', 'Pago. Estamos devolvendo {excess}'),
    why: label('You paid {paid}; the price was {price}.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  'success/DONE+returned': {
    tone: 'good',
    sign: 'check',
    title: label('Paid. {excess} was sent back to you', 'Pago. Devolvemos {excess} para você'),
    why: label('You paid {paid}; the price was {price}.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  // Returned money.
  'refund/INITIAL': RETURNING,
  'refund/DONE': RETURNED,
  'refund/ERROR': message(
    'bad',
    'warning',
    label('We could not send your money back yet', 'Ainda não conseguimos devolver seu dinheiro'),
    label(
      'Contact {merchant} and quote the reference below.',
      'Peça ajuda a {merchant} e informe a referência abaixo.',
    ),
  ),
  'dispute/OPEN': message(
    'info',
    'bank',
    label('Your bank is looking into this payment', 'Seu banco está analisando este pagamento'),
    label(
      'A dispute (MED) was opened. The amount is blocked until your bank decides.',
      'Uma contestação (MED) foi aberta. O valor fica bloqueado até a decisão do seu banco.',
    ),
  ),
  'dispute/ACCEPTED': {
    ...RETURNED,
    why: label('Your bank accepted the dispute.', 'Seu banco aceitou a contestação.'),
  },
  'dispute/REJECTED': message(
    'info',
    'bank',
    label('Your bank decided that the payment stands', 'Seu banco decidiu manter o pagamento'),
    label('The dispute was rejected.', 'A contestação foi rejeitada.'),
  ),
};
