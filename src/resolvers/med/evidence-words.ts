/** Words of the evidence pack, in both languages. */
import { label } from '../../base/text/label.ts';

/** Titles and names of facts. */
export const EVIDENCE_WORDS = {
  title: label('Evidence for a MED case', 'Evidências para um caso do MED'),
  made: label('Made', 'Gerado em'),
  none: label('We hold no transaction for this payment.', 'Não temos transação para este pagamento.'),
  yes: label('yes', 'sim'),
  no: label('no', 'não'),
  unknown: label('not told by the bank', 'não informado pelo banco'),

  case: label('Case', 'Caso'),
  number: label('Our number', 'Nosso número'),
  reference: label('Number at the provider', 'Número no provedor'),
  kind: label('Kind', 'Tipo'),
  kind_dispute: label('Dispute', 'Contestação'),
  kind_infraction: label('Report of fraud', 'Notificação de infração'),
  reason: label('Reason', 'Motivo'),
  disputedAmount: label('Amount of the case', 'Valor do caso'),
  opened: label('Opened', 'Aberto em'),
  due: label('Answer due', 'Prazo para resposta'),
  holder: label('Account holder', 'Titular da conta'),

  payment: label('Payment by PIX', 'Pagamento por Pix'),
  pixE2e: label('EndToEndId', 'EndToEndId'),
  txid: label('txid of the charge', 'txid da cobrança'),
  charged: label('Charge created', 'Cobrança criada em'),
  brCode: label('Code of the charge', 'Código copia e cola'),
  paid: label('Amount paid', 'Valor pago'),
  paidAt: label('Paid', 'Pago em'),
  payer: label('CPF or CNPJ of the payer', 'CPF ou CNPJ do pagador'),
  isSame: label('The payer is the customer', 'O pagador é o cliente'),

  customer: label('Customer', 'Cliente'),
  name: label('Name', 'Nome'),
  taxId: label('CPF or CNPJ', 'CPF ou CNPJ'),
  identity: label('Identity check', 'Verificação de identidade'),

  screening: label('Screening', 'Triagem de compliance'),
  notScreened: label(
    'No screening of this payment is on record.',
    'Não há registro de triagem deste pagamento.',
  ),
  stage_creation: label('Before the payment', 'Antes do pagamento'),
  stage_arrival: label('When the payment arrived', 'No recebimento do pagamento'),
  stage_return: label('Before the refund', 'Antes da devolução'),
  role_customer: label('customer', 'cliente'),
  role_payee: label('payee', 'favorecido'),
  role_payer: label('payer', 'pagador'),
  role_sender: label('sender', 'remetente'),
  role_wallet: label('wallet', 'carteira'),
  role_destination: label('destination', 'destino'),
  cleared: label('Passed', 'Aprovada'),
  stopped: label('Held for review by a person', 'Retida para análise de uma pessoa'),
  releasedByPerson: label('Released by a person', 'Liberada por uma pessoa'),

  terms: label('Terms that the customer accepted', 'Condições aceitas pelo cliente'),
  end2end: label('Transaction', 'Transação'),
  external: label('Order of the account holder', 'Pedido do titular'),
  created: label('Created', 'Criada em'),
  priced: label('Price made', 'Cotação em'),
  quote: label('Rate', 'Cotação'),
  fees: label('Fees', 'Tarifas'),
  source: label('Paid by the customer', 'Pago pelo cliente'),
  target: label('Received by the customer', 'Recebido pelo cliente'),
  validUntil: label('Could be paid until', 'Podia ser pago até'),

  delivery: label('Delivery', 'Entrega'),
  wallet: label('Wallet', 'Carteira'),
  txHash: label('Hash of the transfer', 'Hash da transferência'),
  networkFee: label('Network fee', 'Taxa da rede'),
  notDelivered: label(
    'Credited to the balance of the account holder.',
    'Creditado no saldo do titular da conta.',
  ),

  timeline: label('What happened to the transaction', 'O que aconteceu com a transação'),
  returns: label('Returned to the payer', 'Devolvido ao pagador'),
  requests: label(
    'Requests about the transaction (first 50)',
    'Requisições sobre a transação (50 primeiras)',
  ),
  history: label('What happened to the case', 'O que aconteceu com o caso'),
  files: label('Files of the case', 'Arquivos do caso'),
} as const;
/** Name of a text. */
export type EvidenceWord = keyof typeof EVIDENCE_WORDS;
