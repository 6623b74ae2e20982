/**
 * Texts of the hosted pages other than labels of steps, in both languages: the compiler finds a missing one. `{name}`
 * is filled in.
 */
import { type Label, label } from '../base/text/label.ts';
import type { Language } from '../ui/language.ts';
import { type Translator, translatorOf } from '../ui/translate.ts';

const WORDS = {
  // Frame of every page.
  testLabel: label('Test mode', 'Modo de teste'),
  testMode: label('Test mode.', 'Modo de teste.'),
  testWhat: label('No real money moves.', 'Nenhum dinheiro real é movimentado.'),
  language: label('Language', 'Idioma'),
  paymentBy: label('Payments by Crossramp', 'Pagamento processado por Crossramp'),
  orderNumber: label('Order {reference}', 'Pedido {reference}'),
  nothingToDo: label('You don’t need to do anything.', 'Você não precisa fazer nada.'),

  // The amount of the page.
  due: label('Amount due', 'Valor a pagar'),
  sendExactly: label('Send exactly', 'Envie exatamente'),
  paidSum: label('You paid', 'Você pagou'),
  arrivedSum: label('Arrived', 'Chegou'),
  amountSum: label('Amount', 'Valor'),
  returningSum: label('On its way back to you', 'Em devolução para você'),
  returnedSum: label('Returned to you', 'Devolvido a você'),
  to: label('To', 'Para'),
  for: label('For', 'Referente a'),
  order: label('Order', 'Pedido'),
  network: label('Network', 'Rede'),
  help: label('Help', 'Ajuda'),
  reference: label('Reference', 'Referência'),
  retry: label('Try again', 'Tentar de novo'),
  offline: label('You’re offline. Reconnecting…', 'Sem conexão. Reconectando…'),
  check: label('Refresh', 'Atualizar'),
  waiting: label(
    'This page updates automatically. You can close it and come back.',
    'Esta página se atualiza sozinha. Pode fechá-la e voltar depois.',
  ),
  waitingPayment: label('Waiting for your payment', 'Aguardando seu pagamento'),
  waitingDeposit: label('Waiting for your deposit', 'Aguardando seu depósito'),
  back: label('Return to {host}', 'Voltar para {host}'),
  redirecting: label('Returning to {host} in {seconds} s', 'Voltando para {host} em {seconds} s'),
  stay: label('Stay on this page', 'Ficar nesta página'),

  // Purchase.
  youPay: label('You pay', 'Você paga'),
  youSend: label('You send', 'Você envia'),
  credited: label('Converted to', 'Convertido em'),
  payeeGets: label('Recipient gets', 'O destinatário recebe'),
  rate: label('Rate', 'Cotação'),
  fees: label('Fees included', 'Taxas incluídas'),
  networkFee: label('Network fee', 'Taxa de rede'),
  wallet: label('To the wallet', 'Para a carteira'),
  payee: label('Recipient', 'Destinatário'),
  customer: label('Payer', 'Pagador'),
  pixKey: label('PIX key', 'Chave Pix'),
  pixId: label('PIX ID', 'ID da transação Pix'),
  returnId: label('Refund ID', 'ID da devolução'),
  txHash: label('Transaction hash', 'Hash da transação'),
  refundTxHash: label('Refund transaction hash', 'Hash da devolução'),
  arrived: label('Amount received', 'Valor recebido'),
  expected: label('Amount expected', 'Valor esperado'),
  details: label('Details', 'Detalhes'),
  quoteBefore: label('Previous quote', 'Cotação anterior'),

  // An amount.
  amountTitle: label('How much do you want to pay?', 'Quanto você quer pagar?'),
  amount: label('Amount in BRL', 'Valor em reais'),
  amountRange: label('From {min} to {max}', 'De {min} a {max}'),
  amountWrong: label(
    'Enter an amount from {min} to {max}, such as 150.00',
    'Digite um valor de {min} a {max}, como 150,00',
  ),
  proceed: label('Continue', 'Continuar'),

  // Identity.
  identityTitle: label('Who is paying?', 'Quem está pagando?'),
  payeeTitle: label('Who receives the money?', 'Quem recebe o dinheiro?'),
  identityWhy: label(
    'The PIX must come from an account in this name.',
    'O Pix precisa sair de uma conta deste titular.',
  ),
  identityLaw: label(
    'We use this to match your payment, and the law requires it.',
    'Usamos estes dados para identificar seu pagamento, e a lei exige.',
  ),
  name: label('Full name', 'Nome completo'),
  nameWrong: label(
    'Enter your full name (up to 140 characters)',
    'Digite seu nome completo (até 140 caracteres)',
  ),
  taxId: label('CPF or CNPJ', 'CPF ou CNPJ'),
  taxIdWrong: label(
    'Check the CPF (11 digits) or CNPJ (14 characters): this one isn’t valid.',
    'CPF ou CNPJ inválido. Confira: um CPF tem 11 dígitos; um CNPJ, 14 caracteres.',
  ),
  keyType: label('PIX key type', 'Tipo de chave Pix'),
  keyTypeWrong: label('Choose the type of the key', 'Escolha o tipo da chave'),
  keyWrong: label(
    'This doesn’t look like a valid key of that type',
    'Esta chave não parece válida para o tipo escolhido',
  ),
  verify: label('Confirm your identity', 'Confirmar minha identidade'),
  verifyWhy: label(
    'It takes a few minutes on a secure page of our identity partner. Have a document at hand. Don’t pay anything yet.',
    'Leva alguns minutos em uma página segura do nosso parceiro de identificação. Tenha um documento em mãos. Não pague nada por enquanto.',
  ),
  confirmTitle: label('Check your details', 'Confira seus dados'),
  confirm: label('Continue', 'Continuar'),
  correct: label('Edit', 'Editar'),

  // A quote.
  quoteTitle: label('Do you accept this quote?', 'Você aceita esta cotação?'),
  accept: label('Accept and continue', 'Aceitar e continuar'),

  // PIX.
  pixTitle: label('Pay with PIX', 'Pague com Pix'),
  pixScan: label('QR code of the PIX', 'QR Code do Pix'),
  scanPhone: label('Or scan it with another phone', 'Ou leia com outro celular'),
  scanApp: label('Scan it with your bank’s app', 'Leia com o app do seu banco'),
  scanWallet: label('Scan it with your wallet', 'Leia com sua carteira'),
  pixCode: label('PIX code', 'Código Pix'),
  copyCode: label('Copy PIX code', 'Copiar código Pix'),
  shareCode: label('Share the code', 'Compartilhar código'),
  howCopy: label('Copy the code, or scan the QR code.', 'Copie o código ou leia o QR Code.'),
  howApp: label(
    'In your bank’s app, open PIX and choose “Pix Copia e Cola”.',
    'No app do seu banco, abra o Pix e escolha “Pix Copia e Cola”.',
  ),
  howCheck: label(
    'Check that it says {amount} to {receiver}, then confirm.',
    'Confira se aparece {amount} para {receiver} e confirme.',
  ),
  pixOwner: label(
    'Pay from an account in the name of {name} ({taxId}). Payments from other accounts are sent back.',
    'Pague com uma conta de {name} ({taxId}). Pagamentos de outras contas são devolvidos.',
  ),
  until: label('until', 'até'),
  left: label('left', 'restantes'),
  minutesLeft: label('{minutes} minutes left', 'Faltam {minutes} minutos'),
  minuteLeft: label('One minute left', 'Falta um minuto'),
  timeOver: label('Time is up', 'O tempo acabou'),
  afterWhen: label('If you pay later', 'Se pagar depois disso'),
  afterTime: label('Your money is sent back', 'O dinheiro é devolvido'),
  priceHeld: label('Rate guaranteed until', 'Cotação garantida até'),
  priceAfter: label(
    'After that, the rate at the time of payment applies.',
    'Depois disso, vale a cotação do momento do pagamento.',
  ),
  copy: label('Copy', 'Copiar'),
  copied: label('Copied', 'Copiado'),
  copyByHand: label('Selected. Now copy it', 'Selecionado. Agora copie'),
  copyAmount: label('amount', 'valor'),
  copyAddress: label('address', 'endereço'),
  share: label('Share', 'Compartilhar'),

  // A deposit.
  depositTitle: label('Send {asset} on {network}', 'Envie {asset} pela rede {network}'),
  depositExact: label(
    'Send exactly this amount: it’s how we recognise your deposit. If your wallet or exchange charges a fee, add it on top.',
    'Envie exatamente este valor: é assim que identificamos seu depósito. Se a carteira ou corretora cobrar taxa, some ao valor.',
  ),
  depositAmount: label('Exact amount', 'Valor exato'),
  depositAddress: label('Address on {network}', 'Endereço na rede {network}'),
  depositNetwork: label(
    'Send only {asset} on {network}. Anything else will be lost.',
    'Envie apenas {asset} pela rede {network}. Envios em outra moeda ou rede serão perdidos.',
  ),
  depositScan: label('QR code of the deposit', 'QR Code do depósito'),
  openWallet: label('Open in a wallet', 'Abrir na carteira'),
  depositAfterTime: label('We hold it and ask you what to do', 'O depósito fica retido e você decide'),

  // Texts for a deposit that differs from the expected one.
  requote: label('Convert at the current rate', 'Converter pela cotação atual'),
  requoteWhat: label('The recipient gets the converted amount.', 'O destinatário recebe o valor convertido.'),
  refund: label('Send it back', 'Devolver'),
  refundWhat: label(
    'It goes back to the address it came from, less the network fee:',
    'Volta para o endereço de onde veio, menos a taxa de rede:',
  ),
  refundMine: label(
    'I control this address. (Exchange addresses often can’t receive refunds.)',
    'Este endereço é meu. (Endereços de corretoras muitas vezes não recebem devoluções.)',
  ),
  refundUnsure: label('Tick the box to confirm the address', 'Marque a caixa para confirmar o endereço'),
  refundElse: label(
    'Need it sent elsewhere? Contact {merchant}.',
    'Precisa em outro endereço? Fale com {merchant}.',
  ),

  // Texts while a step is under way, and after the end.
  refunding: label(
    'It goes to the account it came from. Your bank shows it as “devolução”.',
    'O dinheiro volta para a conta de onde saiu. Seu banco mostra como “devolução”.',
  ),
  theMoney: label('Status', 'Andamento'),
  stepArrived: label('{amount} arrived', '{amount}: chegou'),
  stepSendingBack: label('We are sending it back', 'Estamos devolvendo'),
  stepSentBack: label('We sent it back', 'Devolvemos'),
  stepBack: label('Back in your account', 'De volta na sua conta'),
  stepBackWallet: label('Back at your address', 'De volta no seu endereço'),
  stepSeen: label('{amount} seen on {network}', '{amount}: visto na rede {network}'),
  stepConfirming: label('Confirmed by the network', 'Confirmado pela rede'),
  stepConverted: label('Converted', 'Convertido'),
  stepPaidOut: label('{amount} by PIX to {name}', '{amount} por Pix para {name}'),

  // The receipt.
  receipt: label('Receipt', 'Comprovante'),
  emailTitle: label('Receipt by e-mail', 'Comprovante por e-mail'),
  emailWhat: label(
    'We send it once, when the payment is complete, and then delete the address.',
    'Enviamos uma vez, quando o pagamento for concluído, e depois apagamos o endereço.',
  ),
  emailField: label('E-mail for the receipt', 'E-mail para o comprovante'),
  emailTest: label(
    'In test mode, only members of the account get receipts.',
    'No modo de teste, só membros da conta recebem comprovantes.',
  ),
  emailWrong: label(
    'Enter an e-mail address such as ana@example.com',
    'Digite um e-mail, como ana@example.com',
  ),
  emailSave: label('Send the receipt', 'Enviar comprovante'),
  emailChange: label('Change the address', 'Trocar o endereço'),
  emailBack: label('Back to the payment', 'Voltar ao pagamento'),
  emailWaiting: label('The receipt will be sent by e-mail.', 'O comprovante será enviado por e-mail.'),
  emailSent: label('The receipt was sent by e-mail.', 'O comprovante foi enviado por e-mail.'),
  emailFailed: label(
    'The receipt could not be sent by e-mail.',
    'Não foi possível enviar o comprovante por e-mail.',
  ),
  emailReason: label(
    'You get this e-mail once, because this address was entered on the payment page.',
    'Você recebe este e-mail uma única vez, porque este endereço foi informado na página de pagamento.',
  ),
  receiptFile: label('receipt', 'comprovante'),
  youPaid: label('You paid', 'Você pagou'),
  youSent: label('You sent', 'Você enviou'),
  returning: label('On its way back to you', 'Em devolução para você'),
  returnedToYou: label('Returned to you', 'Devolvido a você'),
  delivered: label('Delivered', 'Entregue'),
  payeeGot: label('The recipient received', 'O destinatário recebeu'),
  sent: label('Sent', 'Enviado'),
  createdAt: label('Created', 'Criado em'),
  paidAt: label('Paid', 'Pago em'),
  arrivedAt: label('Arrived', 'Chegou em'),
  finishedAt: label('Finished', 'Concluído em'),
  sentAt: label('Sent', 'Enviado em'),
  returnedAt: label('Returned', 'Devolvido em'),
  by: label('Payer', 'Pagador'),
  sentBy: label('Sent by', 'Enviado por'),
  with: label('Payment method', 'Forma de pagamento'),
  withPix: label('PIX', 'Pix'),
  print: label('Print', 'Imprimir'),
  save: label('Save', 'Salvar'),
  renew: label('Get a new PIX code', 'Gerar novo código Pix'),
  renewDeposit: label('Start again', 'Começar de novo'),
  renewWhat: label(
    'Still want to pay? The amount stays the same, at the current rate.',
    'Ainda quer pagar? O valor é o mesmo, com a cotação deste momento.',
  ),

  // Failed requests.
  missingTitle: label('Page not found', 'Página não encontrada'),
  missing: label(
    'This link doesn’t exist or is no longer active. Ask the merchant for a new one.',
    'Este link não existe ou não está mais ativo. Peça um novo à loja.',
  ),
  failedTitle: label('Something went wrong', 'Algo deu errado'),
  failed: label(
    'Something went wrong on our side. Try again.',
    'Algo deu errado do nosso lado. Tente de novo.',
  ),
  away: label(
    'The service is temporarily unavailable. Try again in a few seconds.',
    'Serviço temporariamente indisponível. Tente de novo em alguns segundos.',
  ),
  noPrice: label(
    'No rate is available right now. Try again in a few seconds.',
    'Não há cotação no momento. Tente de novo em alguns segundos.',
  ),
  overLimit: label('This amount is outside the allowed range.', 'Valor fora do permitido.'),
  tooMany: label(
    'Too many requests. Try again in a moment.',
    'Muitas tentativas. Tente de novo em instantes.',
  ),
  movedOn: label(
    'The payment has already moved on. Refresh the page.',
    'O pagamento já mudou de etapa. Atualize a página.',
  ),
  formWrong: label('Check the highlighted fields.', 'Confira os campos destacados.'),

  // The sandbox.
  sandboxTitle: label('Sandbox: what happens now?', 'Sandbox: o que acontece agora?'),
  sandboxNothing: label('Nothing to simulate right now.', 'Nada para simular agora.'),
  sandboxLater: label('Schedule a failure', 'Programar uma falha'),
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type Word = keyof typeof WORDS;

/** Translates a text into the language of the page. */
export type Translate = Translator<Word>;

/** @returns the function that formats texts in a language. */
export function translatorIn(language: Language): Translate {
  return translatorOf<Word>(WORDS, language);
}
