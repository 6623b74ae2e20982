/** Texts about a rejected form, by the code of the error: they say what to do, without names of the API. */
import type { ErrorCode } from '../../base/errors/errors.ts';
import { type Label, label } from '../../base/text/label.ts';

const UNREADABLE = label(
  'Your browser sent something we can’t read. Reload the page and try again.',
  'Seu navegador enviou algo que não conseguimos ler. Recarregue a página e tente de novo.',
);

/** Advice by the code of the error. */
export const REFUSAL_WORDS: Readonly<Record<ErrorCode, Label>> = {
  BAD_REQUEST: UNREADABLE,
  UNAUTHORIZED: label('Sign in to continue.', 'Entre novamente para continuar.'),
  FORBIDDEN: label(
    'You can’t do this yourself. Ask an account owner or another person on your team.',
    'Você não pode fazer isso. Peça a um proprietário da conta ou a outra pessoa da equipe.',
  ),
  STEP_UP_REQUIRED: label('Confirm with your passkey first.', 'Confirme com sua passkey primeiro.'),
  NOT_FOUND: label(
    'This record doesn’t exist, or it belongs to another account. Check the reference.',
    'Este registro não existe ou é de outra conta. Confira a referência.',
  ),
  METHOD_NOT_ALLOWED: UNREADABLE,
  NOT_ACCEPTABLE: UNREADABLE,
  REQUEST_TIMEOUT: label(
    'The request took too long. Try again.',
    'A solicitação demorou demais. Tente de novo.',
  ),
  PAYLOAD_TOO_LARGE: label(
    'The form is too long. Shorten it and send it again.',
    'O formulário é longo demais. Encurte-o e envie de novo.',
  ),
  URI_TOO_LONG: UNREADABLE,
  HEADERS_TOO_LARGE: UNREADABLE,
  UNSUPPORTED_MEDIA_TYPE: UNREADABLE,
  EXPECTATION_FAILED: UNREADABLE,
  MISDIRECTED: UNREADABLE,
  UPGRADE_UNSUPPORTED: UNREADABLE,
  RATE_LIMITED: label(
    'Too many requests. Try again in a moment.',
    'Muitas tentativas. Tente de novo em instantes.',
  ),
  INVALID_PARAMETER: label('Check the values and try again.', 'Confira os valores e tente de novo.'),
  CURSOR_EXPIRED: label(
    'This page of the list is no longer available. Go to the first page.',
    'Esta página da lista não está mais disponível. Vá para a primeira página.',
  ),
  CURRENCY_AMBIGUOUS: label(
    'This asset exists on several networks. Choose the network.',
    'Este ativo existe em várias redes. Escolha a rede.',
  ),
  IDEMPOTENCY_MISMATCH: label(
    'This form was already sent with other values. Reload the page and fill it in again.',
    'Este formulário já foi enviado com outros valores. Recarregue a página e preencha de novo.',
  ),
  IDEMPOTENCY_RUNNING: label(
    'This form is still being processed. Reload the page in a few seconds.',
    'Este formulário ainda está sendo processado. Recarregue a página em alguns segundos.',
  ),
  LIMIT_EXCEEDED: label(
    'The amount is outside the allowed range. Enter another amount.',
    'O valor está fora do permitido. Digite outro valor.',
  ),
  INSUFFICIENT_BALANCE: label(
    'The available balance doesn’t cover this amount. Enter a smaller amount or add funds.',
    'O saldo disponível não cobre este valor. Digite um valor menor ou adicione saldo.',
  ),
  ADDRESS_NOT_WHITELISTED: label(
    'This destination isn’t available. Add it to your payout destinations, or wait until its waiting period is over.',
    'Este destino não está disponível. Adicione-o aos destinos de saque ou aguarde o período de espera.',
  ),
  QUOTE_EXPIRED: label(
    'The quote has expired. Get a new quote.',
    'A cotação expirou. Peça uma nova cotação.',
  ),
  STEP_CONFLICT: label(
    'This is no longer possible. Reload the page to see what has changed.',
    'Isto não é mais possível. Recarregue a página para ver o que mudou.',
  ),
  LIST_CHANGED: label(
    'Someone else changed this list. Reload the page and make your change again.',
    'Outra pessoa alterou esta lista. Recarregue a página e faça a alteração de novo.',
  ),
  RAILS_MISSING: label(
    'This gateway has no providers for live accounts yet. Ask its operator.',
    'Este gateway ainda não tem provedores para contas reais. Fale com o operador.',
  ),
  QUOTE_UNAVAILABLE: label(
    'No rate is available right now. Try again in a few seconds.',
    'Não há cotação no momento. Tente de novo em alguns segundos.',
  ),
  UNAVAILABLE: label(
    'The service is temporarily unavailable. Try again in a few seconds.',
    'Serviço temporariamente indisponível. Tente de novo em alguns segundos.',
  ),
  INTERNAL: label(
    'Something went wrong on our side. Try again.',
    'Algo deu errado do nosso lado. Tente de novo.',
  ),
};
