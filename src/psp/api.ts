/**
 * The API of the PSP: API Pix 2.9 below `/v2`, and calls like those of Efí and Inter for functions that API Pix lacks,
 * in the form of the bank of its profile.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { bankAnswer, bankRefusal, checkMembers, standardRequest, standardTokenRequest } from './bank-form.ts';
import { getCharge, listCharges, patchCharge, putCharge } from './charges.ts';
import { postDefence, putDefence, putFile } from './defences.ts';
import { directory } from './directory.ts';
import type { FaultRule, FaultTarget } from './faults.ts';
import {
  type Answer,
  type PspRequest,
  type Route,
  readBody,
  route,
  routeOf,
  send,
  sendError,
} from './http.ts';
import { getInfraction, listInfractions } from './infractions.ts';
import { getInterPayout, postInterPayout } from './inter-payouts.ts';
import { getMedCase, listMedCases, putMedAnswer, putMedFile } from './med-cases.ts';
import { type Client, checkToken, issueToken, type PspScope, unauthorized } from './oauth.ts';
import { readPage, readPeriod } from './pages.ts';
import type { PspParts } from './parts.ts';
import { getBalance, getPayout, listPayouts, putPayout } from './payouts.ts';
import { problem } from './problem.ts';
import { getPix, getRefund, listPix, putRefund } from './received.ts';
import { deleteWebhook, getWebhook, listWebhooks, putWebhook } from './webhooks.ts';

/** Required scope of a route, and the target of its faults. */
interface Demand {
  /** Undefined for the token request itself. */
  readonly scope?: PspScope;
  readonly target: FaultTarget;
}

const NO_CHECK = 'x-skip-mtls-checking';

/** @param key - key that authenticates the tokens. */
export function apiListener(parts: PspParts, client: Client, key: string): RequestListener {
  const routes = routesOf(parts, client, key);
  return (request, response) => {
    handle(parts, routes, { client, key }, request, response).catch((error: unknown) =>
      sendError(response, bankRefusal(parts.profile, error)),
    );
  };
}

async function handle(
  parts: PspParts,
  routes: readonly Route<Demand>[],
  { client, key }: { readonly client: Client; readonly key: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { profile } = parts;
  const { route: found, named, query } = routeOf(routes, standardRequest(profile, request));
  const { scope, target } = found.more;
  const { headers } = request;
  if (scope) {
    checkToken(key, headers.authorization, scope);
    checkMembers(profile, client, { headers, query });
  }
  const body = await readBody(request);
  const fault = parts.faults.next(target);
  if (fault?.fault === 'unavailable')
    throw problem(503, 'ServicoIndisponivel', 'Serviço não está disponível no momento.');
  if (fault?.fault === 'unauthorized') throw unauthorized();
  if (fault?.fault === 'missing') throw problem(404, 'NaoEncontrado', 'Não encontrado.');
  const outcome = await settled(found.answer({ named, query, headers, body }));
  parts.wake();
  await delay(fault);
  if (fault?.fault === 'timeout') return void request.socket.destroy();
  if ('error' in outcome) throw outcome.error;
  const { status, body: answer } = bankAnswer(profile, outcome.answer);
  send(response, status, answer, 'application/json');
}

/** Turns a refusal into an answer, so that faults delay it as well. */
async function settled(answer: Answer | Promise<Answer>) {
  try {
    return { answer: await answer };
  } catch (error) {
    return { error };
  }
}

async function delay(fault: FaultRule | undefined): Promise<void> {
  if (fault && fault.ms > 0) await new Promise((resolve) => setTimeout(resolve, fault.ms));
}

function routesOf(parts: PspParts, client: Client, key: string): readonly Route<Demand>[] {
  const period = (query: URLSearchParams, name: string) =>
    [readPeriod(query, name), readPage(query, name)] as const;
  const made = (body: object): Answer => ({ status: 201, body });
  const ok = (body: object): Answer => ({ status: 200, body });
  const first = ({ named }: PspRequest) => named[0] as string;
  const both = ({ named }: PspRequest) => named as readonly [string, string];
  const charge = { scope: 'cob.write', target: 'charge' } as const;
  const reading = (scope: PspScope) => ({ scope, target: 'read' }) as const;
  const webhook = { scope: 'webhook.write', target: 'webhook' } as const;
  const payout = { scope: 'pix.send', target: 'payout' } as const;
  const lookup = directory(parts);
  const put = (request: PspRequest) => made(putPayout(parts, first(request), request.body));
  return [
    route('POST', '/oauth/token', { target: 'token' }, (request) => {
      const body = standardTokenRequest(parts.profile, client, request);
      return ok(issueToken(client, key, request.headers.authorization, body));
    }),
    route('PUT', '/v2/cob/:txid', charge, (request) => made(putCharge(parts, first(request), request.body))),
    route('PATCH', '/v2/cob/:txid', charge, (request) =>
      ok(patchCharge(parts, first(request), request.body)),
    ),
    route('GET', '/v2/cob/:txid', reading('cob.read'), (request) => ok(getCharge(parts, first(request)))),
    route('GET', '/v2/cob', reading('cob.read'), ({ query }) =>
      ok(listCharges(parts, ...period(query, 'CobConsultaInvalida'), query)),
    ),
    route('GET', '/v2/pix/:e2eid', reading('pix.read'), (request) => ok(getPix(parts, first(request)))),
    route('GET', '/v2/pix', reading('pix.read'), ({ query }) =>
      ok(listPix(parts, ...period(query, 'PixConsultaInvalida'), query)),
    ),
    route('PUT', '/v2/pix/:e2eid/devolucao/:id', { scope: 'pix.write', target: 'refund' }, (request) =>
      made(putRefund(parts, ...both(request), request.body)),
    ),
    route('GET', '/v2/pix/:e2eid/devolucao/:id', reading('pix.read'), (request) =>
      ok(getRefund(parts, ...both(request))),
    ),
    route('PUT', '/v2/webhook/:key', webhook, async (request) =>
      ok(await putWebhook(parts, first(request), request.body, request.headers[NO_CHECK] === 'true')),
    ),
    route('GET', '/v2/webhook/:key', reading('webhook.read'), (request) =>
      ok(getWebhook(parts, first(request))),
    ),
    route('GET', '/v2/webhook', reading('webhook.read'), ({ query }) => ok(listWebhooks(parts, query))),
    route('DELETE', '/v2/webhook/:key', webhook, (request) => {
      deleteWebhook(parts, first(request));
      return { status: 204 };
    }),
    // Efí first had this call below /v2.
    route('PUT', '/v[23]/gn/pix/:id', payout, put),
    route('GET', '/v[23]/gn/pix/enviados/id-envio/:id', reading('gn.pix.send.read'), (request) =>
      ok(getPayout(parts, 'id', first(request))),
    ),
    route('GET', '/v[23]/gn/pix/enviados/:e2eid', reading('gn.pix.send.read'), (request) =>
      ok(getPayout(parts, 'end_to_end_id', first(request))),
    ),
    route('GET', '/v[23]/gn/pix/enviados', reading('gn.pix.send.read'), ({ query }) =>
      ok(listPayouts(parts, ...period(query, 'PixConsultaInvalida'))),
    ),
    route('GET', '/v2/gn/saldo', reading('gn.balance.read'), () => ok(getBalance(parts))),
    route('POST', '/banking/v2/pix', { scope: 'pagamento-pix.write', target: 'payout' }, (request) =>
      ok(postInterPayout(parts, request.headers, request.body)),
    ),
    route('GET', '/banking/v2/pix/:code', reading('pagamento-pix.read'), (request) =>
      ok(getInterPayout(parts, first(request))),
    ),
    ...infractionRoutes(parts),
    route('GET', '/v2/dict/:key', reading('pix.send'), (request) => ok(lookup(first(request)))),
  ];
}

/**
 * Infractions (MED): their list and the answers to them, in the PSP's own form, in Efí's, and in one that no bank has.
 */
function infractionRoutes(parts: PspParts): readonly Route<Demand>[] {
  const read = { scope: 'pix.read', target: 'read' } as const;
  const write = { scope: 'pix.write', target: 'defence' } as const;
  const efi = { scope: 'gn.infractions.write', target: 'defence' } as const;
  const name = 'PixConsultaInvalida';
  const id = ({ named }: PspRequest) => named[0] as string;
  const both = ({ named }: PspRequest) => named as readonly [string, string];
  return [
    route('GET', '/v2/gn/infracoes', read, ({ query }) => ({
      status: 200,
      body: listInfractions(parts, readPeriod(query, name), readPage(query, name)),
    })),
    route('GET', '/v2/gn/infracoes/:id', read, (request) => ({
      status: 200,
      body: getInfraction(parts, id(request)),
    })),
    route('PUT', '/v2/gn/infracoes/:id/anexos/:hash', write, (request) => ({
      status: 201,
      body: putFile(parts, both(request), request.body),
    })),
    route('POST', '/v2/gn/infracoes/:id/defesa', efi, (request) => ({
      status: 201,
      body: postDefence(parts, id(request), request.body),
    })),
    route('PUT', '/v2/gn/infracoes/:id/defesa/:key', write, (request) => ({
      status: 201,
      body: putDefence(parts, both(request), request.body),
    })),
    route('GET', '/med/cases', read, ({ query }) => ({ status: 200, body: listMedCases(parts, query) })),
    route('GET', '/med/cases/:id', read, (request) => ({
      status: 200,
      body: getMedCase(parts, id(request)),
    })),
    route('PUT', '/med/cases/:id/files/:hash', write, (request) => ({
      status: 201,
      body: putMedFile(parts, both(request), request.body),
    })),
    route('PUT', '/med/cases/:id/answers/:key', write, (request) => ({
      status: 201,
      body: putMedAnswer(parts, both(request), request.body),
    })),
  ];
}
