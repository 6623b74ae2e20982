/**
 * Texts of notifications in both languages. Texts name accounts, keys, endpoints and transactions, but no customers.
 */
import type { NotificationKind } from '../base/access/notification-kinds.ts';
import { CONSOLE_PATH, consoleOrigin } from '../base/pages/console-url.ts';
import { type Label, label } from '../base/text/label.ts';
import { type Instant, millisOf } from '../base/time/instant.ts';
import { NOTIFICATION_HEADLINES } from '../events/notification-names.ts';
import type { Language } from '../ui/language.ts';
import { timeText } from '../ui/times.ts';
import { fillIn } from '../ui/translate.ts';

/** Content of a notification. */
export interface Message {
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly at: Instant;
  readonly name: string | null;
}

/** Input of an e-mail. */
export interface Letter {
  readonly accountName: string;
  readonly isSandbox: boolean;
  readonly language: Language;
  readonly items: readonly Message[];
  /** URL of the gateway. */
  readonly publicUrl: string;
}

const IN_BRASILIA = label('(Brasília time)', '(horário de Brasília)');
const SEVERAL = label('{count} notifications', '{count} avisos');

const KEY = label(
  'An API key was created or rotated: {name}.',
  'Uma chave de API foi criada ou rotacionada: {name}.',
);
const INVITATION = label('A person was invited to the account.', 'Uma pessoa foi convidada para a conta.');
const PROTECTION = label(
  '{setting}: a looser value takes effect {time}. You can cancel it until then.',
  '{setting}: um valor menos restritivo passa a valer {time}. É possível cancelar até lá.',
);
const OUTFLOW = label(
  'Money out of {name} is held until a person approves it.',
  'A saída de {name} está retida até que uma pessoa aprove.',
);
const FAILING = label(
  'Deliveries to {name} fail again and again.',
  'As entregas para {name} falham repetidamente.',
);
const DISABLED = label(
  '{name} was disabled: it gets no more events until you resume it.',
  '{name} foi desativado: não recebe mais eventos até ser retomado.',
);
const WAITING = label('Items that wait for a person:', 'Itens que aguardam uma pessoa:');
const UNEXPECTED = label(
  'If you did not expect this, check the audit log and revoke what you do not know.',
  'Se você não esperava por isso, confira o log de auditoria e revogue o que não reconhecer.',
);
const WHY = label(
  'You get this because notifications of {account} are on for you. Change them:',
  'Você recebe isto porque os avisos de {account} estão ativos para você. Para alterar:',
);

const SETTINGS: Readonly<Record<string, Label>> = {
  whitelistCoolingSeconds: label('Wait for new destinations', 'Espera para novos destinos'),
  approvalAbove: label('Second approval above', 'Segunda aprovação acima de'),
  outflowPerHour: label('Ceiling of money out per hour', 'Teto de saídas por hora'),
  newTargetPerHour: label('Ceiling per hour for new destinations', 'Teto por hora para novos destinos'),
  customerLimitDaily: label('Daily limit of a customer', 'Limite diário de um cliente'),
  customerStepUp30d: label('Extra verification of a customer', 'Verificação adicional de um cliente'),
  templateAmountMin: label('Own minimum amount', 'Valor mínimo próprio'),
  templateAmountMax: label('Own maximum amount', 'Valor máximo próprio'),
  templateStepUp30d: label('Own limit for extra verification', 'Limite próprio para verificação adicional'),
  templateLimitDaily: label('Own daily limit of customers', 'Limite diário próprio por cliente'),
};
const COUNTS: Readonly<Record<string, Label>> = {
  approvals: label('Money out to approve', 'Saídas para aprovar'),
  heldDeposits: label('Deposits on hold', 'Depósitos retidos'),
  holds: label('On hold for compliance review', 'Retidas para análise de compliance'),
  stepUps: label('Customers who need extra verification', 'Clientes com verificação adicional pendente'),
  failedRefunds: label('Failed refunds', 'Devoluções com falha'),
  suspense: label('Unidentified payments', 'Pagamentos não identificados'),
  disabledWebhookEndpoints: label('Disabled webhook endpoints', 'Endpoints de webhook desativados'),
  failedJobs: label('Background tasks being retried', 'Tarefas com falha, tentando de novo'),
  expiringKeys: label('API keys expiring within 14 days', 'Chaves de API que expiram em até 14 dias'),
};

/** Screen of the console that a notification links to. */
const PATHS: Readonly<Record<NotificationKind, (reported: Message) => string>> = {
  key: () => '/developers',
  invitation: () => '/people',
  protection: () => '/settings',
  outflow: ({ subject }) => `/transactions/${subject}`,
  endpoint: ({ subject }) => `/webhooks/${subject}`,
  waiting: () => '',
};

/** @returns subject and text of an e-mail: a paragraph for each notification, with a link to its screen. */
export function writeLetter(letter: Letter): { readonly subject: string; readonly text: string } {
  const { accountName, isSandbox, language, items, publicUrl } = letter;
  const [first] = items;
  const about =
    items.length === 1 && first
      ? NOTIFICATION_HEADLINES[first.kind][language]
      : fillIn(SEVERAL[language], { count: String(items.length) });
  const base = consoleOrigin(publicUrl) + CONSOLE_PATH;
  const paragraphs = items.map(
    (reported) =>
      `${timeOf(millisOf(reported.at), language)}\n${sentence(reported, language)}\n${base}${PATHS[reported.kind](reported)}`,
  );
  const isUnexpected = items.some(({ kind }) => ['key', 'invitation', 'protection'].includes(kind));
  const ending = `${fillIn(WHY[language], { account: accountName })}\n${base}/settings#notifications`;
  const parts = [
    accountName,
    ...paragraphs,
    ...(isUnexpected ? [`${UNEXPECTED[language]}\n${base}/audit`] : []),
    ending,
  ];
  return {
    subject: `${isSandbox ? '[Sandbox] ' : ''}${about}: ${accountName}`,
    text: `${parts.join('\n\n')}\n`,
  };
}

function sentence({ kind, subject, facts, name }: Message, language: Language): string {
  switch (kind) {
    case 'key':
      return fillIn(KEY[language], { name: name ?? subject });
    case 'invitation':
      return INVITATION[language];
    case 'protection':
      return fillIn(PROTECTION[language], {
        setting: SETTINGS[subject]?.[language] ?? subject,
        time: timeOf(Date.parse(String(facts.effectiveAt)), language),
      });
    case 'outflow':
      return fillIn(OUTFLOW[language], { name: subject });
    case 'endpoint':
      return fillIn((facts.state === 'disabled' ? DISABLED : FAILING)[language], { name: name ?? subject });
    case 'waiting':
      return [WAITING[language], ...countLines(facts, language)].join('\n');
  }
}

function countLines(facts: Message['facts'], language: Language): readonly string[] {
  return Object.entries(COUNTS).flatMap(([name, word]) =>
    facts[name] ? [`- ${word[language]}: ${facts[name]}`] : [],
  );
}

function timeOf(millis: number, language: Language): string {
  return `${timeText(millis, language, 'moment')} ${IN_BRASILIA[language]}`;
}
