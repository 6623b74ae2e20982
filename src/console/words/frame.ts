/** What the frame of the console says, and what all of its screens share. */
import { label } from '../../base/label.ts';

/** The words of the frame. */
export const FRAME_WORDS = {
  // The frame.
  testMode: label('Test mode.', 'Modo de teste.'),
  testModeWhy: label('No real money moves.', 'Nenhum dinheiro real é movimentado.'),
  main: label('Main', 'Principal'),
  skip: label('Skip to the content', 'Pular para o conteúdo'),
  today: label('Today', 'Hoje'),
  transactions: label('Transactions', 'Transações'),
  statement: label('Statement', 'Extrato'),
  approvals: label('Approvals', 'Aprovações'),
  whitelist: label('Whitelist', 'Destinos permitidos'),
  developers: label('Developers', 'Desenvolvedores'),
  people: label('People', 'Pessoas'),
  operator: label('Operator', 'Operação'),
  audit: label('Audit log', 'Registro de atos'),
  events: label('Event log', 'Registro de eventos'),
  more: label('More', 'Mais'),
  newPayment: label('New payment', 'Nova cobrança'),
  searchOrGo: label('Search or go to…', 'Buscar ou ir para…'),
  search: label('Search', 'Buscar'),
  accounts: label('Your accounts', 'Suas contas'),
  signOut: label('Sign out', 'Sair'),
  signIn: label('Sign in', 'Entrar'),
  sessions: label('Your sessions and passkeys', 'Suas sessões e chaves de acesso'),
  language: label('Language', 'Idioma'),
  showAsCode: label('Show this as code', 'Mostrar como código'),
  codeWhy: label(
    'This screen shows what this request answers to a key with the same rights.',
    'Esta tela mostra o que este pedido responde a uma chave com os mesmos direitos.',
  ),
  close: label('Close', 'Fechar'),
  copy: label('Copy', 'Copiar'),
  copied: label('Copied', 'Copiado'),
  rawBody: label('Body as {path} gives it', 'Corpo como {path} o dá'),
  done: label('Done.', 'Feito.'),
  notDone: label('This was not done.', 'Isto não foi feito.'),
  newer: label('{count} new', '{count} novas'),
  lost: label('Connection lost. Trying again…', 'Conexão perdida. Tentando novamente…'),
  backAgain: label('Connected again', 'Conexão restabelecida'),

  tableOf: label('{name}, table', '{name}, tabela'),
  searchFor: label('What to search for', 'O que buscar'),
  searchHow: label(
    'An order number, end2end, PIX id, txid, hash, CPF or CNPJ, address, or the beginning of a name.',
    'Número do pedido, end2end, ID PIX, txid, hash, CPF ou CNPJ, endereço ou o começo de um nome.',
  ),
  nothingFound: label('Nothing was found', 'Nada foi encontrado'),
  atLeast: label('at least {count}', 'pelo menos {count}'),

  export: label('Export', 'Exportar'),

  // Keys.
  keys: label('Keys', 'Teclas'),
  keysMove: label('move', 'mover'),
  keysOpen: label('open', 'abrir'),
  keysSearch: label('search', 'buscar'),
  keysFilter: label('filter', 'filtrar'),
  keysAll: label('all keys', 'todas as teclas'),
  keysGo: label('go to {name}', 'ir para {name}'),
  keysPalette: label('search or go to', 'buscar ou ir para'),

  // Pages of lists.
  pages: label('Pages', 'Páginas'),
  range: label('{from}–{to} of {total}', '{from}–{to} de {total}'),
  rangeOpen: label('{from}–{to}', '{from}–{to}'),
  next: label('Next', 'Próxima'),
  previous: label('Previous', 'Anterior'),
  first: label('First', 'Primeira'),
  remove: label('Remove: {what}', 'Remover: {what}'),
  clear: label('Clear', 'Limpar'),
  filter: label('Filter', 'Filtrar'),
  apply: label('Apply', 'Aplicar'),
  all: label('All', 'Todas'),
  none: label('None', 'Nenhum'),
  unknown: label('Not known', 'Não se sabe'),

  // Sub-accounts and amounts.
  available: label('Available', 'Disponível'),
  in_transit: label('In transit', 'Em trânsito'),
  to_receive: label('To receive', 'A receber'),
  blocked: label('Blocked', 'Bloqueado'),
  total: label('Total', 'Total'),
  currency: label('Currency', 'Moeda'),
  amount: label('Amount', 'Valor'),
  time: label('Time', 'Hora'),
  status: label('Status', 'Situação'),
  inBrasilia: label('{time} in Brasília', '{time} em Brasília'),

  // Failures.
  missingTitle: label('There is nothing here', 'Não há nada aqui'),
  missing: label(
    'This page or record does not exist, or belongs to another account.',
    'Esta página ou este registro não existe, ou é de outra conta.',
  ),
  forbiddenTitle: label('Your role does not open this', 'Sua função não abre isto'),
  forbidden: label(
    'Ask an owner of the account if you need it.',
    'Se precisar, fale com um proprietário da conta.',
  ),
  signInTitle: label('You are not signed in', 'Você não entrou'),
  signInWhy: label('Sign in to see this page.', 'Entre para ver esta página.'),
  formTitle: label('This form is too old', 'Este formulário é antigo'),
  formWhy: label(
    'Nothing was done. Open the page again and send it once more.',
    'Nada foi feito. Abra a página de novo e envie mais uma vez.',
  ),
  badTitle: label('This address says something else', 'Este endereço diz outra coisa'),
  tooMany: label('Too many requests. Wait a moment.', 'Muitas solicitações. Aguarde um momento.'),
  failedTitle: label('This did not work', 'Isso não funcionou'),
  failed: label(
    'Something went wrong on our side. Try again.',
    'Algo deu errado do nosso lado. Tente de novo.',
  ),
  away: label(
    'We cannot answer right now. Try again in a few seconds.',
    'Não conseguimos responder agora. Tente de novo em alguns segundos.',
  ),
  reference: label('Reference', 'Referência'),
} as const;
