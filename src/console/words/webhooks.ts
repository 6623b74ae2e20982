/** Texts of the screens of one webhook endpoint and of one delivery. */
import { label } from '../../base/text/label.ts';

/** The texts of webhooks. */
export const WEBHOOK_WORDS = {
  endpointHealth: label('Health', 'Saúde'),
  health24: label('Last 24 hours', 'Últimas 24 horas'),
  health7: label('Last 7 days', 'Últimos 7 dias'),
  successRate: label('Success rate', 'Taxa de sucesso'),
  attemptsOf: label('{failed} of {attempts} attempts failed', '{failed} de {attempts} tentativas falharam'),
  chartDeliveries7: label(
    'Last 7 days: {delivered} delivered, {dead} given up, {failed} of {attempts} attempts failed.',
    'Últimos 7 dias: {delivered} entregues, {dead} desistências, {failed} de {attempts} tentativas falharam.',
  ),
  noDeliveries7: label('No webhooks in the last 7 days', 'Nenhum webhook nos últimos 7 dias'),
  failingSince: label(
    'Every delivery has failed since {time}. After five days the endpoint is disabled.',
    'Todas as entregas falham desde {time}. Após cinco dias, o endpoint é desativado.',
  ),
  disabledSince: label('Disabled since {time}: {reason}', 'Desativado desde {time}: {reason}'),

  chosenEvents: label('Events', 'Eventos'),
  allEventsSent: label('All events are sent.', 'Todos os eventos são enviados.'),
  onlyEventsSent: label('Only these events are sent.', 'Só estes eventos são enviados.'),
  removeEventWhat: label(
    'The endpoint will no longer get {event}.',
    'O endpoint deixará de receber {event}.',
  ),
  removeLastEventWhat: label(
    'It is the only choice: without it, all events are sent.',
    'É a única escolha: sem ela, todos os eventos são enviados.',
  ),
  removeEventYes: label('Remove event', 'Remover evento'),
  findEvents: label('Search events', 'Buscar eventos'),
  findEventsHint: label(
    'Part of a name or of its meaning, such as paid or refund',
    'Parte do nome ou do significado, como pago ou devolução',
  ),
  find: label('Search', 'Buscar'),
  addEvents: label('Add selected', 'Adicionar selecionados'),
  eventsFound: label('Events to add', 'Eventos para adicionar'),
  noEventsFound: label('No event matches', 'Nenhum evento corresponde'),
  everyNotification: label('All notifications of the account', 'Todos os avisos da conta'),
  everyEventOf: label('All events of {template}', 'Todos os eventos de {template}'),

  samples: label('Test events', 'Eventos de teste'),
  samplesWhat: label(
    'Sends a made-up event with the header crossramp-test: true. It is in no list, and a failure does not count.',
    'Envia um evento fictício com o cabeçalho crossramp-test: true. Ele não entra em listas, e uma falha não conta.',
  ),
  sampleSend: label('Send test', 'Enviar teste'),
  noSamples: label('No test sent yet', 'Nenhum teste enviado'),
  sampleWaits: label('Being sent', 'Em envio'),

  delivery: label('Delivery', 'Entrega'),
  details: label('Details', 'Detalhes'),
  nextAttempt: label('Next attempt', 'Próxima tentativa'),
  attemptNumber: label('Attempt {attempt}', 'Tentativa {attempt}'),
  request: label('Request', 'Requisição'),
  headers: label('Headers', 'Cabeçalhos'),
  answer: label('Answer', 'Resposta'),
  answerCut: label('The first 4 KiB are kept.', 'Os primeiros 4 KiB são guardados.'),
  noAttempts: label('Not attempted yet', 'Ainda não houve tentativa'),
  eventGone: label(
    'The event is no longer kept, so its request can’t be shown.',
    'O evento não é mais guardado, e a requisição não pode ser exibida.',
  ),
  repeatByCurl: label('Repeat it with curl', 'Repetir com curl'),
  repeatByCurlWhat: label(
    'Put the signing secret into WEBHOOK_SECRET first. The signature is made when the command runs.',
    'Antes, coloque o segredo de assinatura em WEBHOOK_SECRET. A assinatura é feita quando o comando roda.',
  ),

  until: label('Before', 'Antes de'),
  redeliveries: label('Resent in bulk', 'Reenvios em lote'),
  progress: label('Progress', 'Progresso'),
  progressOf: label('{ended} of {all}', '{ended} de {all}'),
  sendNext: label(
    '{count} more match: resend again for the next ones.',
    'Mais {count} correspondem: reenvie de novo para as próximas.',
  ),

  overlap: label('Old secret stays valid for', 'O segredo antigo vale por mais'),
  overlap_0: label('No time: it leaked', 'Nenhum tempo: ele vazou'),
  overlap_3600: label('1 hour', '1 hora'),
  overlap_86400: label('1 day', '1 dia'),
  overlap_604800: label('7 days', '7 dias'),
} as const;
