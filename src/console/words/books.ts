/** Texts of the books; the name of a ledger account is under `book_`. */
import { type Label, label } from '../../base/text/label.ts';
import { ACCOUNT_LABELS, CLASS_LABELS } from '../../ui/account-labels.ts';

/** Names of ledger accounts, as words of the console. */
type AccountWords = { readonly [Name in keyof typeof ACCOUNT_LABELS as `book_${Name}`]: Label };
const ACCOUNT_WORDS = Object.fromEntries(
  Object.entries(ACCOUNT_LABELS).map(([name, text]) => [`book_${name}`, text]),
) as unknown as AccountWords;

/** Names of classes, as words of the console. */
type ClassWords = { readonly [Name in keyof typeof CLASS_LABELS as `class_${Name}`]: Label };
const CLASS_WORDS = Object.fromEntries(
  Object.entries(CLASS_LABELS).map(([name, text]) => [`class_${name}`, text]),
) as unknown as ClassWords;

/** The texts of the books. */
export const BOOK_WORDS = {
  books: label('Books', 'Contabilidade'),
  treasury: label('Current position', 'Posição atual'),
  trialBalance: label('Trial balance', 'Balancete'),
  profitAndLoss: label('Profit and loss', 'Resultado do período'),
  bookPeriod: label('{from} to {to}', '{from} a {to}'),
  fromBrasilia: label('From (Brasília)', 'De (Brasília)'),
  toBrasilia: label('To (Brasília)', 'Até (Brasília)'),
  bookAccount: label('Account number (leave empty for all)', 'Número da conta (vazio: todas)'),
  ledgerAccount: label('Ledger account', 'Conta contábil'),
  byClass: label('By class', 'Por classe'),
  accountClass: label('Class', 'Classe'),
  debitClasses: label('Assets and expenses', 'Ativo e despesas'),
  creditClasses: label('Liabilities, equity and revenue', 'Passivo, patrimônio líquido e receitas'),
  bookRate: label(
    'Values in BRL use the newest rate, for a past period too. Each balance is rounded to the cent, so the two sums can differ by cents.',
    'Os valores em BRL usam a cotação mais recente, também para períodos passados. Cada saldo é arredondado ao centavo; por isso as duas somas podem diferir em centavos.',
  ),
  inBrl: label('In BRL', 'Em BRL'),
  notValued: label('No rate', 'Sem cotação'),
  debits: label('Debits', 'Débitos'),
  credits: label('Credits', 'Créditos'),
  emptyBooks: label('No entries in this period', 'Nenhum lançamento no período'),
  netInBrl: label('Net result, all in BRL', 'Resultado líquido, tudo em BRL'),
  netByCurrency: label('Net result by currency', 'Resultado líquido por moeda'),
  positionChange: label('Change in FX position', 'Variação da posição cambial'),
  bookCloses: label('Closed days', 'Dias fechados'),
  noCloses: label('No days closed yet', 'Nenhum dia fechado'),
  closedAt: label('Closed', 'Fechado em'),
  movedAccounts: label('Accounts with activity', 'Contas movimentadas'),
  hash: label('Hash', 'Hash'),
  closeBooks: label('Close a day…', 'Fechar um dia…'),
  closeBooksYes: label('Close day permanently', 'Fechar definitivamente'),
  dayToClose: label('Day (Brasília)', 'Dia (Brasília)'),
  dayToCloseWhat: label(
    'The next open day. Once closed, no entries can be added to it.',
    'O próximo dia em aberto. Depois de fechado, não aceita mais lançamentos.',
  ),
  manualJournals: label('Manual journal entries', 'Lançamentos manuais'),
  noManualJournals: label('No manual entries', 'Nenhum lançamento manual'),
  PROPOSED: label('Waiting for approval', 'Aguardando aprovação'),
  POSTED: label('Posted', 'Lançado'),
  REJECTED: label('Rejected', 'Recusado'),
  journalReason: label('Reason', 'Motivo'),
  proposeJournal: label('New manual entry…', 'Novo lançamento manual…'),
  proposeJournalYes: label('Submit for approval', 'Enviar para aprovação'),
  bookCapital: label('Capital in or out…', 'Entrada ou saída de capital…'),
  bookCapitalWhat: label(
    'It is booked on the platform’s account once another person approves it in the list above. Coins that you buy elsewhere, such as gas for a hot wallet, come in, and the BRL that you pay for them go out.',
    'O lançamento entra na conta da plataforma quando outra pessoa o aprova na lista acima. Moedas compradas fora, como gás para uma carteira quente, entram; os reais pagos por elas saem.',
  ),
  // Reasons of capital, which has no other.
  'capital is paid in': label('Capital paid in', 'Entrada de capital'),
  'capital is taken out': label('Capital taken out', 'Saída de capital'),
  capitalDirection: label('Direction', 'Sentido'),
  capital_IN: label('Paid in', 'Entrada'),
  capital_OUT: label('Taken out', 'Saída'),
  capitalCurrencyHint: label(
    'BRL goes through the settlement bank, coins through custody. Example: BRL, USDT_TRX, TRX',
    'BRL passa pelo banco liquidante; moedas, pela custódia. Exemplo: BRL, USDT_TRX, TRX',
  ),
  approveJournal: label('Approve…', 'Aprovar…'),
  approveJournalWhat: label(
    '{amount} is posted immediately: debit {debit}, credit {credit}. It must be approved by someone other than the person who proposed it.',
    'Lançamento imediato de {amount}: débito em {debit}, crédito em {credit}. Precisa ser aprovado por alguém que não o propôs.',
  ),
  approveJournalYes: label('Approve and post', 'Aprovar e lançar'),
  rejectJournal: label('Reject', 'Recusar'),
  ...ACCOUNT_WORDS,
  ...CLASS_WORDS,

  // Daily close.
  closeChecklist: label('Close {day}', 'Fechamento de {day}'),
  openItems: label('{n} open', '{n} em aberto'),
  nothingOpen: label('Ready to close', 'Pronto para fechar'),
  dayIsOver: label('The day is over (Brasília time)', 'O dia terminou (horário de Brasília)'),
  dayRuns: label('The day is not over yet (Brasília time)', 'O dia ainda não terminou (horário de Brasília)'),
  notReconciled: label('{rail}: not reconciled yet', '{rail}: ainda sem conciliação'),
  reconciledRail: label('{rail}: statement and books agree', '{rail}: extrato e livros batem'),
  railDiffers: label('{rail}: {n} differences', '{rail}: {n} diferenças'),
  matchedEntries: label('{n} entries match', '{n} lançamentos conferem'),
  reconcileNow: label('Reconcile now', 'Conciliar agora'),
  reconcileRuns: label('{rail}: reading the statement', '{rail}: lendo o extrato'),
  run_ROWS: label('{done} rows read', '{done} linhas lidas'),
  run_BLOCKS: label('{done} of {total} blocks read', '{done} de {total} blocos lidos'),
  run_COMPARING: label('{done} of {total} rows compared', '{done} de {total} linhas comparadas'),
  reconcileAgain: label('Run again', 'Conciliar de novo'),
  seeFindings: label('See differences', 'Ver diferenças'),
  positionsAgree: label('{rail}: balances agree', '{rail}: saldos batem'),
  positionsDiffer: label('{rail}: balances differ', '{rail}: saldos divergem'),
  checkSuspense: label('Unidentified payments to decide: {n}', 'Pagamentos não identificados a decidir: {n}'),
  checkSuspenseNone: label('No unidentified payments', 'Nenhum pagamento não identificado'),
  checkJournals: label('Manual journals to approve: {n}', 'Lançamentos manuais a aprovar: {n}'),
  checkJournalsNone: label('No manual journals to approve', 'Nenhum lançamento manual a aprovar'),
  decideThere: label('Decide', 'Decidir'),
  bookEntries: label('Journals', 'Lançamentos'),
  noBookEntries: label('No journal in this period', 'Nenhum lançamento no período'),
  someBookEntries: label(
    'The newest {count}. Choose a shorter period to see earlier ones.',
    'Os {count} mais recentes. Escolha um período menor para ver os anteriores.',
  ),
  journalNumber: label('Journal', 'Lançamento'),
  decidedByRisk: label(
    'Decided by people with the role Platform risk, Platform operator or Platform owner',
    'A decisão cabe a quem tem o papel Risco da plataforma, Operador da plataforma ou Proprietário da plataforma',
  ),
  closeThisDay: label('Close {day}…', 'Fechar {day}…'),
  closeDayWhat: label(
    'Everything is settled. Once closed, no entries can be added to this day.',
    'Tudo conferido. Depois de fechado, o dia não recebe mais lançamentos.',
  ),
  closeDayOpen: label(
    'Still open: {n}. You can close anyway; what is settled later is booked on a later day. Once closed, no entries can be added to this day.',
    'Ainda em aberto: {n}. Você pode fechar assim mesmo; o que for resolvido depois entra em outro dia. Depois de fechado, o dia não recebe mais lançamentos.',
  ),
} as const;
