/**
 * What the hosted pages say besides the labels of the steps, in both languages: the compiler finds a text that is missing.
 * `{name}` is filled in.
 */
import { type Label, label } from '../base/label.ts';
import type { Language } from '../ui/language.ts';
import { type SayOf, sayFrom } from '../ui/say.ts';

const WORDS = {
  // Frame of every page.
  testLabel: label('Test mode', 'Modo de teste'),
  testMode: label('Test mode.', 'Modo de teste.'),
  testWhat: label('No real money moves.', 'Nenhum dinheiro real é movimentado.'),
  language: label('Language', 'Idioma'),
  paymentBy: label('Payment by Crossramp', 'Pagamento por Crossramp'),
  orderNumber: label('Order {reference}', 'Pedido {reference}'),
  nothingToDo: label('You do not need to do anything.', 'Você não precisa fazer nada.'),

  // The amount of the page.
  due: label('Amount due', 'Valor a pagar'),
  sendExactly: label('Send exactly', 'Envie exatamente'),
  paidSum: label('You paid', 'Você pagou'),
  arrivedSum: label('Arrived', 'Chegou'),
  amountSum: label('Amount', 'Valor'),
  returningSum: label('Being returned to you', 'Sendo devolvido a você'),
  returnedSum: label('Returned to you', 'Devolvido a você'),
  to: label('To', 'Para'),
  for: label('For', 'Referente a'),
  order: label('Order', 'Pedido'),
  network: label('Network', 'Rede'),
  help: label('Help', 'Ajuda'),
  reference: label('Reference', 'Referência'),
  offline: label('Connection lost. Trying again…', 'Conexão perdida. Tentando novamente…'),
  check: label('Check now', 'Verificar agora'),
  waiting: label(
    'This page updates by itself. You can close it.',
    'Esta página se atualiza sozinha. Você pode fechá-la.',
  ),
  waitingPayment: label('Waiting for your payment', 'Aguardando seu pagamento'),
  waitingDeposit: label('Waiting for your deposit', 'Aguardando seu depósito'),
  back: label('Return to {host}', 'Voltar para {host}'),
  redirecting: label('Taking you to {host} in {seconds} s', 'Levando você para {host} em {seconds} s'),
  stay: label('Stay here', 'Ficar aqui'),

  // What is bought.
  youPay: label('You pay', 'Você paga'),
  youSend: label('You send', 'Você envia'),
  credited: label('Converted to', 'Convertido em'),
  payeeGets: label('The payee receives', 'O recebedor recebe'),
  rate: label('Rate', 'Cotação'),
  fees: label('Fees included', 'Taxas incluídas'),
  networkFee: label('Network fee', 'Taxa de rede'),
  wallet: label('To the wallet', 'Para a carteira'),
  payee: label('Payee', 'Recebedor'),
  customer: label('Payer', 'Pagador'),
  pixKey: label('PIX key', 'Chave PIX'),
  pixId: label('PIX number', 'Número do PIX'),
  returnId: label('Return number', 'Número da devolução'),
  txHash: label('Transaction on the network', 'Transação na rede'),
  refundTxHash: label('Return on the network', 'Devolução na rede'),
  arrived: label('What arrived', 'O que chegou'),
  expected: label('What was expected', 'O que era esperado'),
  details: label('Details', 'Detalhes'),
  quoteBefore: label('Previous quote', 'Cotação anterior'),

  // An amount.
  amountTitle: label('How much do you want to pay?', 'Quanto você quer pagar?'),
  amount: label('Amount in BRL', 'Valor em reais'),
  amountRange: label('From {min} to {max}', 'De {min} a {max}'),
  amountWrong: label(
    'Enter an amount from {min} to {max} with at most two decimals, such as 150.00',
    'Escreva um valor de {min} a {max} com no máximo duas casas decimais, por exemplo 150,00',
  ),
  proceed: label('Continue', 'Continuar'),

  // Who it is.
  identityTitle: label('Who is paying?', 'Quem está pagando?'),
  payeeTitle: label('Who receives the money?', 'Quem recebe o dinheiro?'),
  identityWhy: label(
    'The PIX has to come from an account of this person or company.',
    'O PIX precisa sair de uma conta desta pessoa ou empresa.',
  ),
  identityLaw: label(
    'We need this to match your PIX to you, and because the law asks for it.',
    'Precisamos disso para reconhecer seu PIX, e porque a lei exige.',
  ),
  name: label('Full name', 'Nome completo'),
  nameWrong: label('Enter a name of up to 140 characters', 'Escreva um nome de até 140 caracteres'),
  taxId: label('CPF or CNPJ', 'CPF ou CNPJ'),
  taxIdWrong: label(
    'This is not a valid CPF or CNPJ: check the digits. A CPF has 11, a CNPJ 14.',
    'Este CPF ou CNPJ não é válido: confira os dígitos. Um CPF tem 11, um CNPJ 14.',
  ),
  keyType: label('Type of PIX key', 'Tipo da chave PIX'),
  keyTypeWrong: label('Choose the type of the key', 'Escolha o tipo da chave'),
  keyWrong: label('This is not a PIX key of that type', 'Esta não é uma chave PIX desse tipo'),
  cpf: label('CPF', 'CPF'),
  cnpj: label('CNPJ', 'CNPJ'),
  email: label('E-mail', 'E-mail'),
  phone: label('Phone', 'Telefone'),
  random: label('Random key', 'Chave aleatória'),
  confirmTitle: label('Is this right?', 'Está correto?'),
  confirm: label('Yes, continue', 'Sim, continuar'),
  correct: label('No, correct it', 'Não, corrigir'),

  // A quote.
  quoteTitle: label('Do you accept this quote?', 'Você aceita esta cotação?'),
  accept: label('Accept and continue', 'Aceitar e continuar'),

  // PIX.
  pixTitle: label('Pay with PIX', 'Pague com PIX'),
  pixScan: label('QR code with the same PIX code', 'QR Code com o mesmo código PIX'),
  scanPhone: label('Or scan it with another phone', 'Ou leia com outro celular'),
  scanApp: label('Scan it with your bank’s app', 'Leia com o app do seu banco'),
  scanWallet: label('Scan it with your wallet', 'Leia com sua carteira'),
  pixCode: label('PIX code', 'Código PIX'),
  copyCode: label('Copy PIX code', 'Copiar código PIX'),
  shareCode: label('Send the code to somebody', 'Enviar o código a alguém'),
  howCopy: label('Copy the code, or scan the QR code.', 'Copie o código ou leia o QR Code.'),
  howApp: label(
    'In your bank’s app open PIX, then “Copia e Cola”.',
    'No app do seu banco, abra PIX e depois “Copia e Cola”.',
  ),
  howCheck: label(
    'Check {amount} to {receiver} and confirm.',
    'Confira {amount} para {receiver} e confirme.',
  ),
  pixOwner: label(
    'Pay from an account of {name}, {taxId}. Money from anybody else is sent back.',
    'Pague de uma conta de {name}, {taxId}. O dinheiro de outra pessoa é devolvido.',
  ),
  until: label('until', 'até'),
  left: label('left', 'restantes'),
  minutesLeft: label('{minutes} minutes left', 'Faltam {minutes} minutos'),
  minuteLeft: label('One minute left', 'Falta um minuto'),
  timeOver: label('Time is up', 'O tempo acabou'),
  afterWhen: label('Paid after that', 'Pago depois disso'),
  afterTime: label('is sent back', 'é devolvido'),
  priceHeld: label('The rate holds until', 'A cotação vale até'),
  priceAfter: label(
    'A later payment gets the rate at the time when it arrives.',
    'Um pagamento posterior usa a cotação do momento em que chegar.',
  ),
  copy: label('Copy', 'Copiar'),
  copied: label('Copied', 'Copiado'),
  copyByHand: label('Selected: copy it now', 'Selecionado: copie agora'),
  copyAmount: label('amount', 'valor'),
  copyAddress: label('address', 'endereço'),
  share: label('Share', 'Compartilhar'),

  // A deposit.
  depositTitle: label('Send {asset} on {network}', 'Envie {asset} pela rede {network}'),
  depositExact: label(
    'Every digit counts: we recognise your deposit by the amount. If your wallet or exchange takes a fee, add it on top.',
    'Cada dígito conta: reconhecemos seu depósito pelo valor. Se sua carteira ou corretora cobra taxa, some-a ao valor.',
  ),
  depositAmount: label('Exact amount', 'Valor exato'),
  depositAddress: label('Address on {network}', 'Endereço na rede {network}'),
  depositNetwork: label(
    '{asset} on {network} only. Another coin or network is lost.',
    'Somente {asset} pela rede {network}. Outra moeda ou rede se perde.',
  ),
  depositScan: label('QR code of the deposit', 'QR Code do depósito'),
  openWallet: label('Open in a wallet', 'Abrir na carteira'),
  depositAfterTime: label('is held, and you decide what happens', 'fica retido, e você decide o que fazer'),

  // A deposit that did not fit.
  requote: label('Convert it at today’s rate', 'Converter pela cotação de hoje'),
  requoteWhat: label(
    'Your deposit is converted, and the payee receives the result.',
    'O que chegou é convertido, e o recebedor recebe o resultado.',
  ),
  refund: label('Send it back', 'Devolver'),
  refundWhat: label(
    'It goes back to the address it came from, less the network fee:',
    'Volta para o endereço de onde veio, menos a taxa de rede:',
  ),
  refundMine: label(
    'This address is mine. (An address at an exchange often cannot receive refunds.)',
    'Este endereço é meu. (O de uma corretora muitas vezes não aceita devoluções.)',
  ),
  refundUnsure: label('Tick the box to confirm the address', 'Marque a caixa para confirmar o endereço'),
  refundElse: label(
    'If you need it at another address, ask {merchant}.',
    'Se precisar em outro endereço, fale com {merchant}.',
  ),

  // While something goes on, and after the end.
  refunding: label(
    'It goes to the account it came from. Your bank shows it as “devolução”.',
    'O dinheiro volta para a conta de onde saiu. Seu banco mostra como “devolução”.',
  ),
  theMoney: label('The money', 'O dinheiro'),
  stepArrived: label('{amount} arrived', '{amount}: chegou'),
  stepSendingBack: label('We are sending it back', 'Estamos devolvendo'),
  stepSentBack: label('We sent it back', 'Devolvemos'),
  stepBack: label('Back with you', 'De volta com você'),
  stepSeen: label('{amount} seen on {network}', '{amount}: visto na rede {network}'),
  stepConfirming: label('Confirmed by the network', 'Confirmado pela rede'),
  stepConverted: label('Converted', 'Convertido'),
  stepPaidOut: label('{amount} by PIX to {name}', '{amount} por PIX para {name}'),

  // The receipt.
  receipt: label('Receipt', 'Comprovante'),
  receiptFile: label('receipt', 'comprovante'),
  youPaid: label('You paid', 'Você pagou'),
  youSent: label('You sent', 'Você enviou'),
  returning: label('Being returned to you', 'Sendo devolvido a você'),
  returnedToYou: label('Returned to you', 'Devolvido a você'),
  delivered: label('Delivered', 'Entregue'),
  payeeGot: label('The payee received', 'O recebedor recebeu'),
  sent: label('Sent', 'Enviado'),
  createdAt: label('Ordered', 'Pedido em'),
  paidAt: label('Paid', 'Pago em'),
  arrivedAt: label('Arrived', 'Chegou em'),
  finishedAt: label('Finished', 'Concluído em'),
  sentAt: label('Sent', 'Enviado em'),
  returnedAt: label('Returned', 'Devolvido em'),
  by: label('By', 'Por'),
  with: label('With', 'Com'),
  print: label('Print', 'Imprimir'),
  save: label('Save', 'Salvar'),
  renew: label('Get a new code', 'Gerar novo código'),
  renewDeposit: label('Start again', 'Começar de novo'),
  renewWhat: label(
    'For the same amount, at the current rate.',
    'Pelo mesmo valor, com a cotação deste momento.',
  ),

  // What went wrong with a request.
  missingTitle: label('Page not found', 'Página não encontrada'),
  missing: label(
    'This link does not exist or was disabled. Ask the person who sent it for a new one.',
    'Este link não existe ou foi desativado. Peça um novo a quem o enviou.',
  ),
  failedTitle: label('This did not work', 'Isso não funcionou'),
  failed: label(
    'Something went wrong on our side. Try again.',
    'Algo deu errado do nosso lado. Tente de novo.',
  ),
  away: label(
    'We cannot answer right now. Try again in a few seconds.',
    'Não conseguimos responder agora. Tente de novo em alguns segundos.',
  ),
  noPrice: label(
    'No current price is available. Try again in a few seconds.',
    'Não há cotação no momento. Tente de novo em alguns segundos.',
  ),
  overLimit: label('The amount is outside the allowed range.', 'O valor está fora do que é permitido.'),
  tooMany: label('Too many requests. Wait a moment.', 'Muitas solicitações. Aguarde um momento.'),
  movedOn: label(
    'This is not possible at the present state of the payment.',
    'Isso não é possível no ponto em que o pagamento está.',
  ),
  formWrong: label('Please correct the marked fields.', 'Corrija o que está marcado.'),

  // The sandbox.
  sandboxTitle: label('Sandbox: what happens now?', 'Sandbox: o que acontece agora?'),
  sandboxNothing: label('Nothing more can happen.', 'Nada mais pode acontecer.'),
  sandboxLater: label('What is to go wrong later', 'O que deve dar errado depois'),
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type Word = keyof typeof WORDS;

/** Says a text in the language of the page. */
export type Say = SayOf<Word>;

/** @returns what says texts in a language. */
export function sayIn(language: Language): Say {
  return sayFrom<Word>(WORDS, language);
}
