/** Texts of reconciliation; a difference is under `finding_`, and its remedy under `todo_`. */
import { label } from '../../base/text/label.ts';

/** The texts of reconciliation. */
export const RECONCILIATION_WORDS = {
  reconciliation: label('Reconciliation', 'Conciliação'),
  reconciliationWhy: label(
    'Bank and network statements compared with your books, day by day.',
    'Extratos de bancos e redes comparados com a contabilidade, dia a dia.',
  ),
  reports: label('Reports', 'Relatórios'),
  bankFile: label('Bank file', 'Arquivo do banco'),
  bankFileHow: label(
    'A file of the bank (OFX, CSV, CNAB 240) is compared on the server, after a preview: crossramp reconcile --file extrato.ofx --preview',
    'Um arquivo do banco (OFX, CSV, CNAB 240) é comparado no servidor, depois de uma prévia: crossramp reconcile --file extrato.ofx --preview',
  ),
  bankFileMore: label('All options', 'Todas as opções'),
  noReports: label('No reconciliations yet', 'Nenhuma conciliação ainda'),
  noReportsWhy: label(
    'Runs every night for configured rails. You can also run it now.',
    'Roda toda noite para os provedores configurados. Você também pode rodar agora.',
  ),
  reportOf: label('{rail} on {day}', '{rail} em {day}'),
  isOpenReport: label('Needs review', 'Requer análise'),
  isClosedReport: label('Matched', 'Conciliado'),
  matched: label('Matched', 'Conciliados'),
  openFindings: label('Open items', 'Pendências'),
  findings: label('Differences', 'Diferenças'),
  noFindings: label('All entries match', 'Todos os lançamentos conferem'),
  onlySuspense: label(
    'The report stays open until the unidentified payments are decided.',
    'O relatório fica em aberto até que os pagamentos não identificados sejam resolvidos.',
  ),
  someFindings: label(
    'Showing the first {count}. Run crossramp reconcile for all of them.',
    'Mostrando os primeiros {count}. Use crossramp reconcile para ver todos.',
  ),
  balancesInAll: label('Balances', 'Saldos'),
  amountThere: label('Provider', 'Provedor'),
  amountHere: label('Books', 'Contabilidade'),
  inFlight: label('In flight', 'Em trânsito'),
  todo: label('Next step', 'Próximo passo'),
  suspenseToo: label('Unidentified payments: {count}', 'Pagamentos não identificados: {count}'),
  finding_MISSING_HERE: label('Missing in the books', 'Falta na contabilidade'),
  finding_MISSING_THERE: label('Missing at the provider', 'Falta no provedor'),
  finding_AMOUNT_DIFFERS: label('Amount differs', 'Valor diferente'),
  finding_DETAILS_DIFFER: label('Address or currency differs', 'Endereço ou moeda diferente'),
  finding_BALANCE_DIFFERS: label('Balance differs', 'Saldo diferente'),
  todo_MISSING_HERE: label('Check unprocessed rail messages', 'Verifique as mensagens não processadas'),
  todo_MISSING_THERE: label(
    'Ask the provider or look up the hash',
    'Pergunte ao provedor ou consulte o hash',
  ),
  todo_AMOUNT_DIFFERS: label(
    'Ask the provider, then post a manual entry',
    'Pergunte ao provedor e faça um lançamento manual',
  ),
  todo_DETAILS_DIFFER: label(
    'Look up the hash: the network’s record wins',
    'Consulte o hash: vale o registro da rede',
  ),
  todo_BALANCE_DIFFERS: label('Resolve the other differences first', 'Resolva primeiro as outras diferenças'),
  entry_PAYMENT: label('Payment', 'Pagamento'),
  entry_REFUND: label('Refund', 'Devolução'),
  entry_DISPUTE: label('Dispute', 'Contestação'),
  entry_PAYOUT: label('Payout', 'Pagamento enviado'),
  entry_PAYOUT_RETURN: label('Returned payout', 'Pagamento devolvido'),
  entry_DEPOSIT: label('Deposit', 'Depósito'),
  entry_TRANSFER: label('Transfer out', 'Transferência enviada'),
  entry_FUNDING: label('To the hot wallet', 'Para a carteira quente'),
  entry_SWEEP: label('Internal transfer', 'Transferência interna'),
  entry_GAS: label('Network fee', 'Taxa de rede'),
  entry_BALANCE: label('Balance', 'Saldo'),
} as const;
