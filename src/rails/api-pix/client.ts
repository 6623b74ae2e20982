/** The calls of API Pix that the rail uses, each with a token. A refused token is replaced once. */
import type { Resource } from './bank-profiles.ts';
import { filledIn } from './fixed-members.ts';
import { type Answer, type Call, type Caller, jsonOf, PspProblem, PspUnavailable } from './http.ts';
import type { ApiPixSettings } from './settings.ts';
import type { Tokens } from './token.ts';
import {
  readCharge,
  readPage,
  readPix,
  readReturn,
  type WireCharge,
  WireError,
  type WirePage,
  type WirePix,
  type WireReturn,
} from './wire.ts';

/** A charge to be made. */
export interface ChargeRequest {
  /** Validity of the charge, in seconds. */
  readonly expiresInSeconds: number;
  readonly payer: { readonly taxId: string; readonly name: string } | null;
  /** Decimal BRL with two decimals. */
  readonly amount: string;
}

/** Period and page of a statement query. */
export interface StatementPart {
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Page number, from 0. */
  readonly page: number;
}

/**
 * Calls of the provider. A failed call throws `PspUnavailable` or `PspProblem`; a query for a missing object returns
 * undefined.
 */
export interface ApiPix {
  readonly putCharge: (txid: string, charge: ChargeRequest) => Promise<WireCharge>;
  readonly getCharge: (txid: string) => Promise<WireCharge | undefined>;
  readonly removeCharge: (txid: string) => Promise<void>;
  /** @returns a received PIX. */
  readonly getPix: (endToEndId: string) => Promise<WirePix | undefined>;
  readonly putReturn: (endToEndId: string, id: string, amount: string) => Promise<WireReturn>;
  readonly getReturn: (endToEndId: string, id: string) => Promise<WireReturn | undefined>;
  readonly getStatement: (part: StatementPart) => Promise<WirePage>;
  /** Reads a page of a proprietary list with the statement's period and page parameters. @returns the page as JSON. */
  readonly getList: (listUrl: string, part: StatementPart) => Promise<unknown>;
  /** @param isOpen - callbacks come without a client certificate; some providers (Efí) must be informed of that. */
  readonly putWebhook: (url: string, isOpen: boolean) => Promise<void>;
  /** @returns the registered URL. */
  readonly getWebhook: () => Promise<string | undefined>;
  /** Makes a call unchanged, with or without a token. @returns an answer below 500. */
  readonly exchange: (call: Call, hasToken: boolean) => Promise<Answer>;
  /** Makes a proprietary call of the provider, with a token. @returns the response as JSON. */
  readonly send: (
    method: Call['method'],
    url: string,
    body?: object,
    headers?: Call['headers'],
  ) => Promise<unknown>;
}

/** Payments per page. The standard allows a thousand, some providers fewer. */
const PAGE_SIZE = 100;
const NAME_MAX = 200;

/** Settings of the calls. */
type CallSettings = Pick<
  ApiPixSettings,
  'url' | 'clientId' | 'pixKey' | 'headers' | 'query' | 'paths' | 'times'
>;

/** @returns the calls. */
export function createCalls(
  call: Caller,
  tokens: Tokens,
  { url, clientId, pixKey, headers: fixed, query: fixedQuery, paths, times }: CallSettings,
): ApiPix {
  const whole = (target: string) => {
    const members = new URLSearchParams(filledIn(fixedQuery, clientId)).toString();
    return members === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${members}`;
  };
  const send: ApiPix['send'] = async (method, target, body, headers = {}) => {
    const json = jsonBody(body);
    const request = {
      method,
      url: whole(target),
      ...json,
      headers: { ...filledIn(fixed, clientId), ...json.headers, ...headers },
    };
    return jsonOf(await withToken(tokens, call, request));
  };
  const at = (resource: Resource, ...parts: readonly string[]) =>
    [url, paths[resource], ...parts.map(encodeURIComponent)].join('/');
  const timeOf = (iso: string) => (times === 's' ? iso.replace(/\.\d+(?=Z$)/, '') : iso);
  const getList = (listUrl: string, { from, to, page }: StatementPart) => {
    const query = new URLSearchParams({
      inicio: timeOf(from),
      fim: timeOf(to),
      'paginacao.paginaAtual': String(page),
      'paginacao.itensPorPagina': String(PAGE_SIZE),
    });
    return send('GET', `${listUrl}?${query}`);
  };
  return {
    send,
    exchange: (request, hasToken) => (hasToken ? withToken(tokens, call, request) : call(request)),
    putCharge: async (txid, charge) =>
      read(readCharge, await send('PUT', at('cob', txid), chargeBody(charge, pixKey))),
    getCharge: (txid) => found(async () => read(readCharge, await send('GET', at('cob', txid)))),
    removeCharge: async (txid) =>
      void (await send('PATCH', at('cobPatch', txid), { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })),
    getPix: (endToEndId) =>
      found(async () => read((json) => readPix(json, 'the PIX'), await send('GET', at('pix', endToEndId)))),
    putReturn: async (endToEndId, id, amount) =>
      read(readReturn, await send('PUT', at('pix', endToEndId, 'devolucao', id), { valor: amount })),
    getReturn: (endToEndId, id) =>
      found(async () => read(readReturn, await send('GET', at('pix', endToEndId, 'devolucao', id)))),
    getStatement: async (part) => read(readPage, await getList(at('pix'), part)),
    getList,
    putWebhook: async (webhookUrl, isOpen) => {
      const headers = isOpen ? { 'x-skip-mtls-checking': 'true' } : {};
      await send('PUT', at('webhook', pixKey), { webhookUrl }, headers);
    },
    getWebhook: () =>
      found(async () => {
        const json = (await send('GET', at('webhook', pixKey))) as
          | { readonly webhookUrl?: unknown }
          | undefined;
        return typeof json?.webhookUrl === 'string' ? json.webhookUrl : undefined;
      }),
  };
}

/** @returns the result; undefined if the provider answers that the object does not exist. */
export async function found<Found>(get: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof PspProblem && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

/** An unreadable answer leaves the outcome unknown. @throws {PspUnavailable} */
export function read<Wire>(reader: (json: unknown) => Wire, json: unknown): Wire {
  try {
    return reader(json);
  } catch (error) {
    if (error instanceof WireError) throw new PspUnavailable(`the answer cannot be read: ${error.message}`);
    throw error;
  }
}

async function withToken(tokens: Tokens, call: Caller, request: Call): Promise<Answer> {
  const once = async () => {
    const token = await tokens.get();
    const headers = { ...request.headers, accept: 'application/json', authorization: `Bearer ${token}` };
    return { token, answer: await call({ ...request, headers }) };
  };
  const { token, answer } = await once();
  if (answer.status !== 401) return answer;
  tokens.refused(token);
  return (await once()).answer;
}

function jsonBody(body: object | undefined): Pick<Call, 'headers' | 'body'> {
  if (!body) return {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The body has both name and tax id of the payer, or neither. */
function chargeBody({ expiresInSeconds, payer, amount }: ChargeRequest, pixKey: string): object {
  const taxId = payer && (payer.taxId.length === 11 ? { cpf: payer.taxId } : { cnpj: payer.taxId });
  return {
    calendario: { expiracao: expiresInSeconds },
    ...(payer && { devedor: { ...taxId, nome: payer.name.slice(0, NAME_MAX) } }),
    valor: { original: amount },
    chave: pixKey,
  };
}
