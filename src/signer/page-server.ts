/**
 * The server of the signer's page, HTTP for browsers. The server has no access to the seed: its calls enrol passkeys
 * and store proofs.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { readJson, reply } from './http.ts';
import type { PageInput, SignerPage } from './page.ts';
import type { RefusalLog } from './refusal-log.ts';
import { Refusal } from './signer-error.ts';

const HTML = readFileSync(new URL('island/page.html', import.meta.url), 'utf8');
const SCRIPT = stripTypeScriptTypes(readFileSync(new URL('island/page.ts', import.meta.url), 'utf8'));
const STYLE_HASH = createHash('sha256')
  .update(/<style>([\s\S]*)<\/style>/.exec(HTML)?.[1] ?? '')
  .digest('base64');

/**
 * Headers that forbid other pages to frame this page, to keep a handle on its window, and to receive a referrer from
 * it.
 */
const HEADERS = {
  'content-security-policy': `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** Maximum number of connections; each browser needs a few. */
const CONNECTIONS_MAX = 200;

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/prove': ['text/html; charset=utf-8', HTML],
  '/enrol': ['text/html; charset=utf-8', HTML],
  '/page.js': ['text/javascript; charset=utf-8', SCRIPT],
};

/** Answers the requests of the page's server. @param origin - of the page; requests from other origins are refused. */
export function servePage(
  server: Server,
  page: SignerPage,
  origin: string,
  log: Pick<RefusalLog, 'refused'>,
): void {
  const calls: Readonly<Record<string, (input: PageInput) => Promise<object>>> = {
    '/enrol/options': page.enrolOptions,
    '/enrol': page.enrol,
    '/prove/options': page.proveOptions,
    '/prove': page.prove,
  };
  server.maxConnections = CONNECTIONS_MAX;
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    respond(request, response).catch((error: unknown) => {
      log.refused({ reason: 'failed', detail: String(error) });
      reply(response, 500, { detail: 'the signer failed' });
    });
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0] as string;
    const file = request.method === 'GET' && Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (file) return void response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
    const call = request.method === 'POST' && Object.hasOwn(calls, path) ? calls[path] : undefined;
    if (!call) return reply(response, 404, { detail: 'there is no such page' });
    if (request.headers.origin !== origin)
      return reply(response, 403, { detail: `accepted only from pages of ${origin}` });
    try {
      reply(response, 200, await call(await readJson(request)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { reason, message: detail } = error;
      log.refused({ reason, detail, at: 'page' });
      reply(response, 403, { reason, detail });
    }
  }
}
