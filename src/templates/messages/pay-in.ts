/** Messages for a payment by PIX: before, during, and after it. */
import { label } from '../../base/text/label.ts';
import { message, NOTHING_PAID, type StepMessages } from './message.ts';
import { RETURNING } from './returns.ts';

const CHECKING = label('We are checking your payment', 'Estamos verificando seu pagamento');
/** Steps of payments by PIX. */
export const PAY_IN: StepMessages = {
  // Messages before a payment.
  'static_entry/AMOUNT': message(
    'idle',
    'clock',
    label('How much do you want to pay?', 'Quanto você quer pagar?'),
  ),
  'quote/QUOTE': message('idle', 'clock', label('Do you accept this price?', 'Você aceita este preço?')),
  'quote/ACCEPTED': message(
    'info',
    'waiting',
    label('One moment', 'Um momento'),
    label('We are getting your payment ready.', 'Estamos preparando seu pagamento.'),
  ),
  'quote/EXPIRED': message(
    'idle',
    'clock',
    label('Time ran out. Nothing was paid', 'O prazo acabou. Nada foi pago'),
  ),
  'quote/ERROR': message(
    'idle',
    'failed',
    label('We can’t quote a price right now', 'Não há cotação no momento'),
    NOTHING_PAID,
  ),
  'quote/CANCELLED': message(
    'idle',
    'failed',
    label('{merchant} cancelled this payment', '{merchant} cancelou este pagamento'),
    NOTHING_PAID,
  ),
  'pre_kyc/INFO': message('idle', 'person', label('Who is paying?', 'Quem está pagando?')),
  'pre_kyc/INFO:payee': message(
    'idle',
    'person',
    label('Who receives the money?', 'Quem recebe o dinheiro?'),
  ),
  'pre_kyc/CONFIRM': message('idle', 'person', label('Check your details', 'Confira seus dados')),
  'pre_kyc/LIMIT': message(
    'bad',
    'failed',
    label('This amount is above your limit', 'Este valor está acima do seu limite'),
    label(
      'Nothing was paid. Ask {merchant} for a smaller amount.',
      'Nada foi pago. Peça um valor menor a {merchant}.',
    ),
  ),
  'pre_kyc/LIMIT:payee': message(
    'bad',
    'failed',
    label('This amount is above the limit', 'Este valor está acima do limite'),
    label(
      'This is more than {name} can receive. Nothing was paid.',
      'O valor excede o limite de recebimento de {name}. Nada foi pago.',
    ),
  ),

  // Messages while the customer is checked.
  'valida_id/INITIAL': message(
    'info',
    'waiting',
    label('We are checking your details', 'Estamos conferindo seus dados'),
  ),
  'valida_id/PENDING': message(
    'warn',
    'person',
    label('{merchant} needs another document from you', '{merchant} precisa de mais um documento seu'),
    label(
      '{merchant} will contact you about it. Don’t pay anything yet.',
      '{merchant} vai entrar em contato sobre isso. Não pague nada por enquanto.',
    ),
  ),
  'valida_id/REVIEW': message(
    'info',
    'waiting',
    CHECKING,
    label('Don’t pay anything yet.', 'Não pague nada por enquanto.'),
  ),
  'valida_id/IRREGULAR': message(
    'bad',
    'failed',
    label('This {document} cannot be used', 'Este {document} não pode ser usado'),
    label(
      'It is irregular or not registered. Nothing was paid.',
      'Ele está irregular ou não existe no cadastro. Nada foi pago.',
    ),
  ),
  'valida_id/DENIED': message(
    'bad',
    'failed',
    label('We cannot take this payment', 'Não podemos aceitar este pagamento'),
  ),

  // PIX.
  'depositpix/QRCODE': message('idle', 'clock', label('Pay with PIX', 'Pague com Pix')),
  'depositpix/EXPIRED': message(
    'idle',
    'clock',
    label('Time ran out. Nothing was paid', 'O prazo acabou. Nada foi pago'),
  ),
  'depositpix/ERROR': message(
    'bad',
    'failed',
    label('Something went wrong. You were not charged', 'Algo deu errado. Nada foi cobrado'),
  ),
  'depositpix/PAID': message(
    'info',
    'check',
    label('Your payment arrived', 'Seu pagamento chegou'),
    undefined,
    true,
  ),
  'depositpix/UNDERPAID': RETURNING,
  'depositpix/OVERPAID': {
    tone: 'info',
    sign: 'check',
    isQuiet: true,
    title: label('Paid. {excess} is on its way back', 'Pago. Estamos devolvendo {excess}'),
    why: label('You paid {paid}; the price was {price}.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  'depositpix/LATE': message(
    'info',
    'returned',
    label(
      'Your payment came too late and is on its way back',
      'Seu pagamento chegou fora do prazo e está sendo devolvido',
    ),
    undefined,
    true,
  ),
  'depositpix/DIVERGENT': message(
    'info',
    'returned',
    label(
      'This PIX came from someone else’s account, so we are sending it back',
      'O pagamento veio da conta de outra pessoa e será devolvido',
    ),
    undefined,
    true,
  ),
  'compliance/UNCOMPLIANT': message(
    'info',
    'waiting',
    CHECKING,
    label('Your payment is on hold until we finish.', 'O valor fica retido até a conclusão da análise.'),
    true,
  ),
  'swap_transfer/INITIAL': message(
    'info',
    'check',
    label('Your payment arrived', 'Seu pagamento chegou'),
    undefined,
    true,
  ),
  'swap_transfer/ERROR': message(
    'warn',
    'warning',
    label(
      'We received your payment, but it isn’t complete yet',
      'Seu pagamento chegou e ainda não foi concluído',
    ),
    label('We are looking into it.', 'Estamos verificando o que houve.'),
    true,
  ),
};
