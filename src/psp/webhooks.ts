/**
 * Callback URLs (`/webhook/{chave}`). A URL is accepted if it refuses callers without a certificate and accepts the
 * PSP.
 */
import { isoOf } from './clock.ts';
import { pageOf, readPage } from './pages.ts';
import { type Body, type PspParts, textOf } from './parts.ts';
import { problem } from './problem.ts';

interface WebhookRow {
  readonly key: string;
  readonly url: string;
  readonly createdMs: number;
}

const COLUMNS = 'key, url, created_ms as "createdMs"';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** `PUT /webhook/{chave}`. @param isUnchecked - the URL is protected by other means than TLS, and is not tested. */
export async function putWebhook(
  parts: PspParts,
  key: string,
  body: Body,
  isUnchecked: boolean,
): Promise<object> {
  const url = textOf(body.webhookUrl);
  if (!parts.holder.keys.includes(key))
    throw invalid(
      'O parâmetro chave não corresponde a uma chave DICT pertencente a este usuário recebedor.',
      'chave',
    );
  if (url === null || !isAllowed(url))
    throw invalid('O campo webhook.webhookUrl não respeita o schema.', 'webhook.webhookUrl');
  const wrong =
    isUnchecked || !parts.profile.probesCallbacks ? undefined : await parts.callbacks.problemOf(url);
  if (wrong !== undefined) throw invalid(wrong, 'webhook.webhookUrl');
  parts.store.run(
    'insert into webhook values (?, ?, ?) on conflict do update set url = excluded.url, created_ms = excluded.created_ms',
    key,
    url,
    parts.clock.now(),
  );
  return {};
}

/** `GET /webhook/{chave}`. */
export function getWebhook(parts: PspParts, key: string): object {
  const row = parts.store.one<WebhookRow>(`select ${COLUMNS} from webhook where key = ?`, key);
  if (!row) throw missing();
  return present(parts, row);
}

/** `GET /webhook`. */
export function listWebhooks(parts: PspParts, query: URLSearchParams): object {
  const page = readPage(query, 'WebhookConsultaInvalida');
  const source = { columns: COLUMNS, from: 'webhook', where: 'true', values: [], page };
  const { rows, paginacao } = pageOf<WebhookRow>(parts.store, source, ['key']);
  return { parametros: { paginacao }, webhooks: rows.map((row) => present(parts, row)) };
}

/** `DELETE /webhook/{chave}`. */
export function deleteWebhook({ store }: PspParts, key: string): void {
  if (store.run('delete from webhook where key = ?', key).changes === 0) throw missing();
}

function present({ holder }: PspParts, { key, url, createdMs }: WebhookRow): object {
  return { webhookUrl: url, chave: key, cnpj: holder.cnpj, criacao: isoOf(createdMs) };
}

/** @returns whether a callback URL is allowed: without TLS only on this machine, for a gateway behind a proxy. */
function isAllowed(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}

function invalid(razao: string, propriedade: string) {
  return problem(400, 'WebhookOperacaoInvalida', razao, [{ razao, propriedade }]);
}

function missing() {
  return problem(404, 'WebhookNaoEncontrado', 'O webhook denotado por chave não se encontra estabelecido.');
}
