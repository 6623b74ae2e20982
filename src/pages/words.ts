/**
 * What the hosted pages say besides the labels of the steps, in both languages: the compiler finds a text that is missing.
 * `{name}` is filled in.
 */
import { type Label, label } from '../base/label.ts';
import type { Language } from '../ui/language.ts';
import { type SayOf, sayFrom } from '../ui/say.ts';

const WORDS = {
  // Frame of every page.
  payTo: label('Payment to {merchant}', 'Pagamento para {merchant}'),
  testMode: label('Test mode: no real money moves.', 'Modo de teste: nenhum dinheiro real é movimentado.'),
  help: label('Help', 'Ajuda'),
  reference: label('Reference', 'Referência'),
  offline: label('Connection lost. Trying again…', 'Conexão perdida. Tentando novamente…'),
  check: label('Check now', 'Verificar agora'),
  waiting: label(
    'This page updates by itself. You can close it: nothing is lost.',
    'Esta página se atualiza sozinha. Você pode fechá-la: nada se perde.',
  ),
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
  pixId: label('PIX end-to-end id', 'ID da transação PIX'),
  txHash: label('Transaction on the network', 'Transação na rede'),
  paid: label('Paid', 'Pago'),
  arrived: label('What arrived', 'O que chegou'),
  expected: label('What was expected', 'O que era esperado'),
  excess: label('Excess to be returned', 'Excedente que é devolvido'),
  details: label('Details', 'Detalhes'),
  quoteBefore: label('Previous quote', 'Cotação anterior'),

  // An amount.
  amountTitle: label('How much do you want to pay?', 'Quanto você quer pagar?'),
  amount: label('Amount in BRL', 'Valor em reais'),
  amountRange: label('From {min} to {max}', 'De {min} a {max}'),
  amountWrong: label(
    'Enter an amount from {min} to {max}, such as 150.00',
    'Escreva um valor de {min} a {max}, por exemplo 150,00',
  ),
  proceed: label('Continue', 'Continuar'),

  // Who it is.
  identityTitle: label('Who is paying?', 'Quem está pagando?'),
  payeeTitle: label('Who receives the money?', 'Quem recebe o dinheiro?'),
  identityWhy: label(
    'The PIX must come from an account of this person or company.',
    'O PIX precisa sair de uma conta desta pessoa ou empresa.',
  ),
  name: label('Full name', 'Nome completo'),
  nameWrong: label('Enter a name of up to 140 characters', 'Escreva um nome de até 140 caracteres'),
  taxId: label('CPF or CNPJ', 'CPF ou CNPJ'),
  taxIdWrong: label(
    'This is not a valid CPF or CNPJ: check the digits',
    'Este CPF ou CNPJ não é válido: confira os dígitos',
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
  save: label('Save', 'Salvar'),

  // A quote.
  quoteTitle: label('Do you accept this quote?', 'Você aceita esta cotação?'),
  accept: label('Accept and continue', 'Aceitar e continuar'),

  // PIX.
  pixTitle: label('Pay {amount} with PIX', 'Pague {amount} com PIX'),
  pixScan: label('QR code of the PIX', 'QR Code do PIX'),
  pixHow: label(
    'Open your bank’s app, choose PIX and scan the code, or copy it and use “PIX copia e cola”.',
    'Abra o app do seu banco, escolha PIX e leia o código, ou copie e use o “PIX copia e cola”.',
  ),
  pixCode: label('PIX code (copia e cola)', 'Código PIX (copia e cola)'),
  pixOwner: label(
    'Pay from an account of {name}, {taxId}. A payment by somebody else is returned.',
    'Pague de uma conta de {name}, {taxId}. O pagamento de outra pessoa é devolvido.',
  ),
  payUntil: label('Pay until', 'Pague até'),
  left: label('Time left', 'Tempo restante'),
  minutesLeft: label('{minutes} minutes left', 'Faltam {minutes} minutos'),
  minuteLeft: label('One minute left', 'Falta um minuto'),
  timeOver: label('Time is up', 'O tempo acabou'),
  afterTime: label(
    'A later payment is returned. You can then get a new code.',
    'O que for pago depois é devolvido. Depois disso você pode gerar um novo código.',
  ),
  priceHeld: label('The rate holds until', 'A cotação vale até'),
  priceAfter: label(
    'A later payment gets the rate at the time when it arrives.',
    'Um pagamento posterior usa a cotação do momento em que chegar.',
  ),
  copy: label('Copy', 'Copiar'),
  copied: label('Copied', 'Copiado'),
  copyByHand: label('Selected: copy it now', 'Selecionado: copie agora'),
  share: label('Share', 'Compartilhar'),

  // A deposit.
  depositTitle: label('Send exactly {amount}', 'Envie exatamente {amount}'),
  depositExact: label(
    'Send it digit for digit, not counting fees of your wallet or exchange. We recognise your deposit by this amount.',
    'Dígito por dígito, sem contar taxas da sua carteira ou corretora: é por este valor que reconhecemos o seu depósito.',
  ),
  depositAmount: label('Exact amount', 'Valor exato'),
  depositAddress: label('Address', 'Endereço'),
  depositNetwork: label(
    'Send {asset} on the network {network} only. Anything else sent to this address can be lost.',
    'Envie {asset} somente pela rede {network}. Qualquer outra coisa enviada a este endereço pode se perder.',
  ),
  depositScan: label('QR code of the deposit', 'QR Code do depósito'),
  openWallet: label('Open in a wallet', 'Abrir na carteira'),
  sendUntil: label('Send until', 'Envie até'),
  depositAfterTime: label(
    'A deposit that arrives later is held until you decide what to do with it.',
    'O que chegar depois fica retido até você decidir o que fazer.',
  ),

  // A deposit that did not fit.
  resolveTitle: label('What should we do with your deposit?', 'O que deve ser feito com o seu depósito?'),
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
  stepUp: label(
    '{merchant} will ask you for more information, or already has. There is nothing to pay meanwhile.',
    '{merchant} vai pedir mais informações, ou já pediu. Por enquanto não há mais nada a pagar.',
  ),
  refunding: label(
    'The money goes back to the account that it came from. Your bank shows it as “devolução”.',
    'O dinheiro volta para a conta de onde saiu. Seu banco mostra como “devolução”.',
  ),
  receipt: label('Receipt', 'Comprovante'),
  print: label('Print', 'Imprimir'),
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
  sandboxTitle: label('Sandbox: make it happen', 'Sandbox: faça acontecer'),
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type Word = keyof typeof WORDS;

/** Says a text in the language of the page. */
export type Say = SayOf<Word>;

/** @returns what says texts in a language. */
export function sayIn(language: Language): Say {
  return sayFrom<Word>(WORDS, language);
}
