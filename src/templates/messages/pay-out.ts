/** Messages while crypto is deposited, and BRL or crypto is sent: to a payee, to a wallet, from a balance. */
import { label } from '../../base/text/label.ts';
import { message, NOTHING_PAID, type StepMessages } from './message.ts';

/** Steps of deposits, payouts and withdrawals. */
export const PAY_OUT: StepMessages = {
  // Messages while the payee is checked.
  'kyc_payee/INITIAL': message(
    'info',
    'waiting',
    label('We are checking who receives the money', 'Estamos conferindo quem recebe o dinheiro'),
  ),
  'kyc_payee/PENDING': message(
    'warn',
    'person',
    label(
      '{merchant} needs another document from {name}',
      '{merchant} precisa de mais um documento de {name}',
    ),
    label(
      '{merchant} will contact them about it. Don’t pay anything yet.',
      '{merchant} vai entrar em contato sobre isso. Não pague nada por enquanto.',
    ),
  ),
  'kyc_payee/REVIEW': message(
    'info',
    'waiting',
    label('We are checking who receives the money', 'Estamos conferindo quem recebe o dinheiro'),
  ),
  'kyc_payee/DENIED': message(
    'bad',
    'failed',
    label('We cannot pay {name}', 'Não podemos pagar a {name}'),
    NOTHING_PAID,
  ),
  'kyc_payee/DIVERGENT': message(
    'bad',
    'failed',
    label('This PIX key doesn’t belong to {name}', 'Esta chave Pix não é de {name}'),
    NOTHING_PAID,
  ),

  // Messages about deposits of crypto.
  'crypto_deposit/WAITING_DEPOSIT': message(
    'idle',
    'clock',
    label('Send {asset} on {network}', 'Envie {asset} pela rede {network}'),
  ),
  'crypto_deposit/DETECTED': message(
    'info',
    'check',
    label('We see your deposit', 'Seu depósito foi detectado'),
    label('The amount is right. Do not send anything more.', 'O valor está certo. Não envie mais nada.'),
    true,
  ),
  'crypto_deposit/DROPPED': message(
    'warn',
    'warning',
    label('The network dropped your deposit', 'A rede descartou seu depósito'),
    label(
      'It is back in your wallet. Send it again.',
      'O valor voltou para a sua carteira. Envie novamente.',
    ),
  ),
  'crypto_deposit/DONE': message(
    'info',
    'check',
    label('Your deposit is confirmed', 'Seu depósito foi confirmado'),
    undefined,
    true,
  ),
  'crypto_deposit/EXPIRED': message(
    'idle',
    'clock',
    label('Time ran out. No deposit arrived', 'O prazo acabou. Nenhum depósito chegou'),
  ),
  'crypto_deposit/UNDERPAID': message(
    'warn',
    'warning',
    label(
      'We received a different amount. What would you like to do?',
      'Recebemos um valor diferente. O que você quer fazer?',
    ),
  ),
  'crypto_deposit/OVERPAID': message(
    'warn',
    'warning',
    label(
      'We received a different amount. What would you like to do?',
      'Recebemos um valor diferente. O que você quer fazer?',
    ),
  ),
  'crypto_deposit/LATE': message(
    'warn',
    'warning',
    label(
      'Your deposit arrived late. What would you like to do?',
      'Seu depósito chegou fora do prazo. O que você quer fazer?',
    ),
  ),
  'compliance/UNCOMPLIANT:payee': message(
    'info',
    'waiting',
    label('We are checking this payment', 'Estamos verificando este pagamento'),
    label('The payment is on hold until we finish.', 'O valor fica retido até a conclusão da análise.'),
    true,
  ),
  'swap_transfer/INITIAL:payee': message(
    'info',
    'check',
    label('{received} is on its way to {name}', '{received} a caminho de {name}'),
    undefined,
    true,
  ),
  'swap_transfer/ERROR:payee': message(
    'warn',
    'warning',
    label('This payment is not finished yet', 'Este pagamento ainda não foi concluído'),
    label('We are looking into it.', 'Estamos verificando o que houve.'),
    true,
  ),

  // Messages about sent money.
  'pix_out/SENDING': message(
    'info',
    'waiting',
    label('{received} is on its way to {name}', '{received} a caminho de {name}'),
    undefined,
    true,
  ),
  'pix_out/REJECTED': message(
    'warn',
    'warning',
    label('{name}’s bank rejected the PIX', 'O banco de {name} não aceitou o Pix'),
  ),
  'pix_out/RETURNED': message(
    'info',
    'returned',
    label('{name}’s bank returned the PIX', 'O banco de {name} devolveu o Pix'),
    label('The money is back in {merchant}’s balance.', 'O dinheiro voltou para o saldo de {merchant}.'),
  ),
  'crypto_out/INITIAL': message(
    'info',
    'waiting',
    label('{received} is on its way to your wallet', '{received} a caminho da sua carteira'),
    undefined,
    true,
  ),
  'crypto_out/BROADCAST': message(
    'info',
    'waiting',
    label('{received} is on its way to your wallet', '{received} a caminho da sua carteira'),
    undefined,
    true,
  ),
  'partial_success/DONE': message(
    'warn',
    'warning',
    label(
      'Your deposit was credited to {merchant}’s balance',
      'Seu depósito foi creditado no saldo de {merchant}',
    ),
    label(
      'It wasn’t paid out. Contact {merchant} for the next steps.',
      'O valor não foi repassado. Fale com {merchant} sobre os próximos passos.',
    ),
  ),
  'partial_success/DONE:wallet': message(
    'warn',
    'warning',
    label('The transfer to your wallet failed', 'A transferência para sua carteira falhou'),
    label(
      '{received} is in {merchant}’s balance. Ask them to send it again.',
      '{received} está no saldo de {merchant}. Peça um novo envio.',
    ),
  ),
  'success/DONE': message(
    'good',
    'check',
    label('Paid', 'Pago'),
    label(
      '{merchant} has your payment of {paid}. There is nothing left to do.',
      '{merchant} recebeu seu pagamento de {paid}. Não há mais nada a fazer.',
    ),
  ),
  'success/DONE:wallet': message(
    'good',
    'check',
    label('Paid and sent to your wallet', 'Pago e enviado para sua carteira'),
    label(
      'You paid {paid}, and {received} is in your wallet.',
      'Você pagou {paid}, e {received} está na sua carteira.',
    ),
  ),
  'success/DONE:payee': {
    tone: 'good',
    sign: 'check',
    title: label('{received} was sent to {name}', 'Enviamos {received} para {name}'),
  },

  // Withdrawals and payouts from a balance.
  'reserve/DONE': message(
    'info',
    'waiting',
    label('Payment to {name} requested', 'Pagamento para {name} solicitado'),
  ),
  'reserve/ERROR': message(
    'bad',
    'failed',
    label('The balance is too low', 'O saldo é insuficiente'),
    label('Nothing was sent.', 'Nada foi enviado.'),
  ),
  'request_withdrawl_dash/INITIAL': message(
    'info',
    'waiting',
    label('Withdrawal requested', 'Saque solicitado'),
  ),
  'request_withdrawl_dash/ERROR': message(
    'bad',
    'failed',
    label('The balance is too low', 'O saldo é insuficiente'),
    label('Nothing was sent.', 'Nada foi enviado.'),
  ),
  'approval_withdrawl_dash/PENDING': message(
    'warn',
    'approve',
    label('Withdrawal waiting for approval', 'Saque aguardando aprovação'),
  ),
  'approval_withdrawl_dash/REJECTED': message(
    'idle',
    'failed',
    label('The withdrawal was not approved', 'O saque não foi aprovado'),
    label('Nothing was sent.', 'Nada foi enviado.'),
  ),
  'approval_withdrawl_dash/CANCELLED': message(
    'idle',
    'failed',
    label('The withdrawal was cancelled', 'O saque foi cancelado'),
    label('Nothing was sent.', 'Nada foi enviado.'),
  ),
  'send_withdrawl_dash/SENDING': message(
    'info',
    'waiting',
    label('{received} is on its way', '{received} a caminho'),
  ),
  'send_withdrawl_dash/BROADCAST': message(
    'info',
    'waiting',
    label('{received} is on its way', '{received} a caminho'),
  ),
  'send_withdrawl_dash/ERROR': message(
    'bad',
    'failed',
    label('The withdrawal failed', 'Não foi possível concluir o saque'),
    label('The amount is back in the balance.', 'O valor voltou para o saldo.'),
  ),
  'success_withdrawl_dash/DONE': message(
    'good',
    'check',
    label('{received} was sent', 'Enviamos {received}'),
  ),
  'success_withdrawl_dash/RETURNED': message(
    'info',
    'returned',
    label('The bank sent the PIX back', 'O banco devolveu o Pix'),
    label('The amount is back in the balance.', 'O valor voltou para o saldo.'),
  ),
};
