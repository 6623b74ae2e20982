/** Texts of the checks that `doctor` makes: a title for each code, and what to do if the check fails. `{subject}` is filled in. */
import { type Label, label } from '../../base/text/label.ts';
import type { Language } from '../../ui/language.ts';
import { fillIn } from '../../ui/translate.ts';

/** Texts of a check. */
interface CheckTexts {
  /** Name of the check; a group of an expression is its subject. */
  readonly name: string | RegExp;
  readonly title: Label;
  readonly advice: Label;
}

const CONTACT_OPERATIONS = label(
  'Ask the people who run the gateway: the runbook says what to do.',
  'Fale com quem opera o gateway: o runbook diz o que fazer.',
);
const WAIT_OR_RETRY = label(
  'Look for the failed orders in the review queue, and for the rail below.',
  'Veja as ordens com falha na fila de análise e o provedor abaixo.',
);
const RENEW = label(
  'Have the certificate renewed: banks take days to issue a new one.',
  'Providencie a renovação do certificado: os bancos levam dias para emitir outro.',
);

/** Texts of each check, by its code. */
export const CHECK_TEXTS = {
  // Operation.
  jobs_sandbox: {
    name: 'jobs of sandbox accounts',
    title: label('Work queue of sandbox accounts', 'Fila de trabalho das contas sandbox'),
    advice: WAIT_OR_RETRY,
  },
  jobs_live: {
    name: 'jobs of live accounts',
    title: label('Work queue of live accounts', 'Fila de trabalho das contas reais'),
    advice: WAIT_OR_RETRY,
  },
  webhooks_sandbox: {
    name: 'webhooks of sandbox accounts',
    title: label('Webhooks of sandbox accounts', 'Webhooks das contas sandbox'),
    advice: CONTACT_OPERATIONS,
  },
  webhooks_live: {
    name: 'webhooks of live accounts',
    title: label('Webhooks of live accounts', 'Webhooks das contas reais'),
    advice: CONTACT_OPERATIONS,
  },
  worker: {
    name: 'worker',
    title: label('Process that does the work', 'Processo que executa as tarefas'),
    advice: label(
      'Start a process with ROLE=work or all: without one, no payment continues.',
      'Inicie um processo com ROLE=work ou all: sem ele, nenhum pagamento avança.',
    ),
  },
  connection_slots: {
    name: 'connection slots',
    title: label('Connections to the database', 'Conexões com o banco de dados'),
    advice: CONTACT_OPERATIONS,
  },
  statements: {
    name: 'statements',
    title: label('Long database queries', 'Consultas demoradas no banco de dados'),
    advice: CONTACT_OPERATIONS,
  },
  replicas: {
    name: 'replicas',
    title: label('Replicas of the database', 'Réplicas do banco de dados'),
    advice: CONTACT_OPERATIONS,
  },
  event_log: {
    name: 'event log',
    title: label('Tables of the event log', 'Tabelas do registro de eventos'),
    advice: label(
      'A process with ROLE=work or all makes the table of the next month: start one.',
      'Um processo com ROLE=work ou all cria a tabela do próximo mês: inicie um.',
    ),
  },
  verify: {
    name: 'verify',
    title: label('Verification of the ledger', 'Conferência do razão'),
    advice: label(
      'Run crossramp verify. It names every defect: book nothing by hand before you know the cause.',
      'Execute crossramp verify. Ele aponta cada divergência: não lance nada à mão antes de saber a causa.',
    ),
  },
  disk: {
    name: 'disk',
    title: label('Free disk space', 'Espaço livre em disco'),
    advice: label(
      'Enlarge the disk: the database stops when it is full.',
      'Aumente o disco: o banco de dados para quando ele enche.',
    ),
  },
  process_clock: {
    name: 'process: clock',
    title: label('Clock of this process', 'Relógio deste processo'),
    advice: label(
      'Set the clock of the machine: its time service may have stopped.',
      'Acerte o relógio da máquina: o serviço de hora pode ter parado.',
    ),
  },
  process_event_loop: {
    name: 'process: event loop',
    title: label('Response of this process', 'Resposta deste processo'),
    advice: label(
      'The process is overloaded: start another one, or give it more processor time.',
      'O processo está sobrecarregado: inicie outro ou dê a ele mais processador.',
    ),
  },
  // All rails.
  off: {
    name: 'off',
    title: label('Switched off', 'Desligado'),
    advice: CONTACT_OPERATIONS,
  },
  answer: {
    name: 'answer',
    title: label('Answer of the rail', 'Resposta do provedor'),
    advice: label(
      'The rail did not answer in time. Orders wait, and are sent when it answers.',
      'O provedor não respondeu a tempo. As ordens aguardam e seguem quando ele responder.',
    ),
  },
  reconciliation: {
    name: 'reconciliation',
    title: label('Reconciliation', 'Conciliação'),
    advice: label(
      'Open the report under Reconciliation: it says what to do about each difference.',
      'Abra o relatório em Conciliação: ele diz o que fazer com cada divergência.',
    ),
  },
  restore: {
    name: 'restore',
    title: label('Payments after a restore', 'Pagamentos após uma restauração'),
    advice: label(
      'Nothing is sent before payments that left after the restored time are found and decided (crossramp restored list).',
      'Nada é enviado antes de localizar e decidir os pagamentos feitos após o ponto restaurado (crossramp restored list).',
    ),
  },
  sending: {
    name: 'sending',
    title: label('Outgoing orders', 'Envio de ordens'),
    advice: label(
      'Sending is paused, or orders wait for too long. Resume it in its case of the review queue.',
      'O envio está pausado ou há ordens esperando demais. Retome pelo caso na fila de análise.',
    ),
  },
  // PIX.
  profile: {
    name: 'profile',
    title: label('Profile of the bank', 'Perfil do banco'),
    advice: CONTACT_OPERATIONS,
  },
  certificate: {
    name: 'certificate',
    title: label('Client certificate', 'Certificado do cliente'),
    advice: RENEW,
  },
  certificate_key: {
    name: 'certificate key',
    title: label('Key of the client certificate', 'Chave do certificado do cliente'),
    advice: CONTACT_OPERATIONS,
  },
  callback_certificate: {
    name: 'callback certificate',
    title: label('Certificate for callbacks', 'Certificado dos callbacks'),
    advice: RENEW,
  },
  callback_certificate_key: {
    name: 'callback certificate key',
    title: label('Key of the certificate for callbacks', 'Chave do certificado dos callbacks'),
    advice: CONTACT_OPERATIONS,
  },
  callers_authority: {
    name: 'callers’ authority',
    title: label('Certificate authority of the bank', 'Autoridade certificadora do banco'),
    advice: RENEW,
  },
  token: {
    name: 'token',
    title: label('Sign-in at the bank', 'Acesso ao banco'),
    advice: label(
      'The bank issues no token, or one without a needed scope: ask the bank.',
      'O banco não emite o token, ou emite sem um escopo necessário: fale com o banco.',
    ),
  },
  callback: {
    name: 'callback',
    title: label('Address for callbacks', 'Endereço dos callbacks'),
    advice: label(
      'The bank calls another address. Payments are still found on the statement, later.',
      'O banco chama outro endereço. Os pagamentos ainda são achados no extrato, mais tarde.',
    ),
  },
  callers: {
    name: 'callers',
    title: label('Identification of the bank’s calls', 'Identificação das chamadas do banco'),
    advice: CONTACT_OPERATIONS,
  },
  reports: {
    name: 'reports',
    title: label('Reports that wait for confirmation', 'Avisos que aguardam confirmação'),
    advice: label(
      'The bank has not confirmed what was reported: ask the bank.',
      'O banco não confirmou o que foi avisado: fale com o banco.',
    ),
  },
  statement: {
    name: 'statement',
    title: label('Statement of the bank', 'Extrato do banco'),
    advice: label(
      'The statement cannot be read, so payments may be found late.',
      'O extrato não pode ser lido, então pagamentos podem aparecer com atraso.',
    ),
  },
  orders: {
    name: 'orders',
    title: label('Orders with unknown outcome', 'Ordens sem resposta do banco'),
    advice: label(
      'Resolve them in the list on this screen, after you have asked the bank.',
      'Resolva na lista desta tela, depois de consultar o banco.',
    ),
  },
  // Networks.
  providers: {
    name: 'providers',
    title: label('Nodes of the network', 'Nós da rede'),
    advice: label(
      'Ask the provider of the node. While too few agree, nothing is read or sent.',
      'Fale com o provedor do nó. Enquanto poucos concordam, nada é lido nem enviado.',
    ),
  },
  head: {
    name: 'head',
    title: label('Newest block', 'Bloco mais recente'),
    advice: label(
      'The network or its node stands still: deposits are seen late.',
      'A rede ou o nó está parado: depósitos aparecem com atraso.',
    ),
  },
  reading: {
    name: 'reading',
    title: label('Reading of deposits', 'Leitura de depósitos'),
    advice: CONTACT_OPERATIONS,
  },
  gas: {
    name: 'gas',
    title: label('Gas in the hot wallet', 'Gás na carteira quente'),
    advice: label(
      'Send coins for gas to the hot wallet, and book them under Books.',
      'Envie moedas para o gás à carteira quente e registre a compra em Contabilidade.',
    ),
  },
  gas_price: {
    name: 'gas price',
    title: label('Gas price', 'Preço do gás'),
    advice: label(
      'Gas costs more than the setting allows: transfers wait until it is cheaper.',
      'O gás custa mais do que o configurado: as transferências aguardam até baixar.',
    ),
  },
  signer: {
    name: 'signer',
    title: label('Signer', 'Assinador'),
    advice: label(
      'Nothing leaves by networks without the signer: start it, and compare its wallets.',
      'Nada sai pelas redes sem o assinador: inicie-o e confira as carteiras.',
    ),
  },
  signer_policy: {
    name: 'signer policy',
    title: label('Policy of the signer', 'Política do assinador'),
    advice: CONTACT_OPERATIONS,
  },
  signer_page: {
    name: 'signer page',
    title: label('Page of the signer', 'Página do assinador'),
    advice: CONTACT_OPERATIONS,
  },
  // Identity and screening.
  identity_provider: {
    name: 'provider',
    title: label('Provider of identity checks', 'Provedor de identidade'),
    advice: label(
      'Customers wait until the provider answers, and none passes.',
      'Os clientes aguardam até o provedor responder, e nenhum é aprovado.',
    ),
  },
  cases: {
    name: 'cases',
    title: label('Customers in verification', 'Clientes em verificação'),
    advice: label(
      'The provider refuses requests: ask the provider.',
      'O provedor recusa solicitações: fale com o provedor.',
    ),
  },
  callbacks: {
    name: 'callbacks',
    title: label('Callbacks of the provider', 'Callbacks do provedor'),
    advice: CONTACT_OPERATIONS,
  },
  list: {
    name: /^list (.+)$/,
    title: label('List {subject}', 'Lista {subject}'),
    advice: label(
      'Load the newest file of this list into its folder. A refused file leaves the version before in use; without any version, nobody passes.',
      'Coloque na pasta o arquivo mais recente desta lista. Um arquivo recusado mantém a versão anterior em uso; sem nenhuma versão, ninguém é aprovado.',
    ),
  },
  // Rates and liquidity.
  rate: {
    name: /^rate of (.+)$/,
    title: label('Rate of {subject}', 'Cotação de {subject}'),
    advice: label(
      'Nothing is quoted in this asset until enough sources agree again.',
      'Nada é cotado neste ativo até que fontes suficientes voltem a concordar.',
    ),
  },
  position: {
    name: /^position in (.+)$/,
    title: label('Position in {subject}', 'Posição em {subject}'),
    advice: label(
      'Buy or sell up to the target, and book it as capital under Books.',
      'Compre ou venda até a meta e registre como capital em Contabilidade.',
    ),
  },
} as const satisfies Readonly<Record<string, CheckTexts>>;

const PROVIDER: Omit<CheckTexts, 'name'> = {
  title: label('Provider {subject}', 'Provedor {subject}'),
  advice: label(
    'Nothing passes until the provider answers: what it has to decide waits, and is asked again every 15 seconds.',
    'Nada passa até o provedor responder: o que ele decide aguarda, e a consulta se repete a cada 15 segundos.',
  ),
};
const TEXTS: readonly CheckTexts[] = Object.values(CHECK_TEXTS);

/** A check in the language of the reader. */
export interface CheckText {
  readonly title: string;
  readonly advice: string;
}

/**
 * @param part - part of the rail; providers of screening are checked under their own names.
 * @returns the texts of a check; undefined for one of another version.
 */
export function checkText(check: string, language: Language, part?: string): CheckText | undefined {
  for (const { name, title, advice } of TEXTS) {
    const found = typeof name === 'string' ? (name === check ? [check] : null) : name.exec(check);
    if (found) return filled({ title, advice }, language, found[1] ?? check);
  }
  return part === 'screening' ? filled(PROVIDER, language, check) : undefined;
}

function filled({ title, advice }: Omit<CheckTexts, 'name'>, language: Language, subject: string): CheckText {
  return { title: fillIn(title[language], { subject }), advice: fillIn(advice[language], { subject }) };
}
