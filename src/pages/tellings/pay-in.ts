/** What is said while a customer is to pay by PIX: before, during, and once it was paid. */
import { label } from '../../base/label.ts';
import { RETURNING } from './returns.ts';
import { NOTHING_PAID, type Tellings, tell } from './telling.ts';

const CHECKING = label('We are checking your payment', 'Estamos verificando seu pagamento');
/** Steps of payments by PIX. */
export const PAY_IN: Tellings = {
  // Before anything is paid.
  'static_entry/AMOUNT': tell(
    'idle',
    'clock',
    label('How much do you want to pay?', 'Quanto você quer pagar?'),
  ),
  'quote/QUOTE': tell('idle', 'clock', label('Do you accept this price?', 'Você aceita este preço?')),
  'quote/ACCEPTED': tell(
    'info',
    'waiting',
    label('One moment', 'Um momento'),
    label('We are getting your payment ready.', 'Estamos preparando seu pagamento.'),
  ),
  'quote/EXPIRED': tell(
    'idle',
    'clock',
    label('Time ran out. Nothing was paid', 'O prazo acabou. Nada foi pago'),
  ),
  'quote/ERROR': tell(
    'idle',
    'failed',
    label('There is no price right now', 'Não há cotação no momento'),
    NOTHING_PAID,
  ),
  'quote/CANCELLED': tell(
    'idle',
    'failed',
    label('{merchant} cancelled this payment', '{merchant} cancelou este pagamento'),
    NOTHING_PAID,
  ),
  'pre_kyc/INFO': tell('idle', 'person', label('Who is paying?', 'Quem está pagando?')),
  'pre_kyc/INFO:payee': tell('idle', 'person', label('Who receives the money?', 'Quem recebe o dinheiro?')),
  'pre_kyc/CONFIRM': tell('idle', 'person', label('Is this right?', 'Está correto?')),
  'pre_kyc/LIMIT': tell(
    'bad',
    'failed',
    label('This amount is above your limit', 'Este valor está acima do seu limite'),
    label(
      'Nothing was paid. Ask {merchant} for a smaller amount.',
      'Nada foi pago. Peça um valor menor a {merchant}.',
    ),
  ),
  'pre_kyc/LIMIT:payee': tell(
    'bad',
    'failed',
    label('This amount is above the limit', 'Este valor está acima do limite'),
    label(
      '{name} cannot receive as much. Nothing was paid.',
      '{name} não pode receber tanto. Nada foi pago.',
    ),
  ),

  // Whether the customer may pay.
  'valida_id/INITIAL': tell(
    'info',
    'waiting',
    label('We are checking your details', 'Estamos conferindo seus dados'),
  ),
  'valida_id/PENDING': tell(
    'warn',
    'person',
    label('{merchant} needs one more document from you', '{merchant} precisa de mais um documento seu'),
    label(
      '{merchant} will ask you for it, or already has. There is nothing to pay meanwhile.',
      '{merchant} vai pedir o documento, ou já pediu. Por enquanto não há nada a pagar.',
    ),
  ),
  'valida_id/REVIEW': tell(
    'info',
    'waiting',
    CHECKING,
    label('There is nothing to pay meanwhile.', 'Por enquanto não há nada a pagar.'),
  ),
  'valida_id/IRREGULAR': tell(
    'bad',
    'failed',
    label('This {document} cannot be used', 'Este {document} não pode ser usado'),
    label(
      'It is irregular or not registered. Nothing was paid.',
      'Ele está irregular ou não existe no cadastro. Nada foi pago.',
    ),
  ),
  'valida_id/DENIED': tell(
    'bad',
    'failed',
    label('We cannot take this payment', 'Não podemos aceitar este pagamento'),
  ),

  // PIX.
  'depositpix/QRCODE': tell('idle', 'clock', label('Pay with PIX', 'Pague com PIX')),
  'depositpix/EXPIRED': tell(
    'idle',
    'clock',
    label('Time ran out. Nothing was paid', 'O prazo acabou. Nada foi pago'),
  ),
  'depositpix/ERROR': tell(
    'bad',
    'failed',
    label('This did not work. Nothing was taken', 'Isso não funcionou. Nada foi cobrado'),
  ),
  'depositpix/PAID': tell(
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
    title: label('Paid. {excess} is on its way back', 'Pago. {excess} estão sendo devolvidos'),
    ptOne: 'Pago. {excess} está sendo devolvido',
    why: label('You paid {paid}, and {price} was due.', 'Você pagou {paid}, e o valor era {price}.'),
  },
  'depositpix/LATE': tell(
    'info',
    'returned',
    label(
      'Your payment came too late and is on its way back',
      'Seu pagamento chegou fora do prazo e está sendo devolvido',
    ),
    undefined,
    true,
  ),
  'depositpix/DIVERGENT': tell(
    'info',
    'returned',
    label(
      'This PIX came from someone else’s account, so we are sending it back',
      'O pagamento veio da conta de outra pessoa e será devolvido',
    ),
    undefined,
    true,
  ),
  'compliance/UNCOMPLIANT': tell(
    'info',
    'waiting',
    CHECKING,
    label('It is held until then.', 'Até lá ele fica retido.'),
    true,
  ),
  'swap_transfer/INITIAL': tell(
    'info',
    'check',
    label('Your payment arrived', 'Seu pagamento chegou'),
    undefined,
    true,
  ),
  'swap_transfer/ERROR': tell(
    'warn',
    'warning',
    label('Your payment arrived and is not finished yet', 'Seu pagamento chegou e ainda não foi concluído'),
    label('We are looking into it.', 'Estamos cuidando disso.'),
    true,
  ),
};
