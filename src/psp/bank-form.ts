/** Translates the calls of a profile's bank into those of API Pix, and the answers back. */
import type { IncomingMessage } from 'node:http';
import type { Answer, PspRequest } from './http.ts';
import type { Client } from './oauth.ts';
import { type Body, objectOf } from './parts.ts';
import { problem, Refused } from './problem.ts';
import type { PspProfile } from './profiles.ts';

/** Proprietary calls of Efí and of Inter, which keep these paths in every profile. */
const PROPRIETARY: Readonly<Record<'efi' | 'inter', RegExp>> = {
  efi: /^\/v[23]\/(?:gn|dict)\//,
  inter: /^\/banking\/v2\//,
};
/** Path of MED cases in a form that no bank has, available in every profile. */
const MED = '/med/';
const RESOURCES = ['cob', 'pix', 'webhook'] as const;
/** Times in queries; some banks accept only whole seconds. */
const TIMES = ['inicio', 'fim'];

/**
 * @returns the request with its API Pix path below `/v2`.
 * @throws {Refused} 404 for a path that the bank does not have.
 */
export function standardRequest(
  profile: PspProfile,
  request: IncomingMessage,
): Pick<IncomingMessage, 'method' | 'url'> {
  const { method } = request;
  const { pathname, search } = new URL(request.url ?? '/', 'http://psp');
  const { paths, payouts } = profile;
  if (pathname === profile.tokenPath) return { method, url: `/oauth/token${search}` };
  const isExtra = pathname.startsWith(MED) || (payouts && PROPRIETARY[payouts].test(pathname));
  if (isExtra) return { method, url: `${pathname}${search}` };
  for (const resource of RESOURCES) {
    const path = resource === 'cob' && method === 'PATCH' ? paths.cobPatch : paths[resource];
    if (pathname === path || pathname.startsWith(`${path}/`))
      return { method, url: `/v2/${resource}${pathname.slice(path.length)}${search}` };
  }
  throw problem(404, 'NaoEncontrado', 'O recurso solicitado não foi encontrado.');
}

/**
 * @throws {Refused} if a member that the bank requires in each call is missing, or a time is too precise for the bank.
 */
export function checkMembers(
  { headers: names, query: members, hasFractions }: PspProfile,
  client: Client,
  { headers, query }: Pick<PspRequest, 'headers' | 'query'>,
): void {
  for (const name of names) {
    const isRight = name === 'client_id' ? headers[name] === client.id : Boolean(headers[name]);
    if (!isRight) throw problem(400, 'RequisicaoInvalida', `O cabeçalho ${name} é obrigatório.`);
  }
  for (const name of members)
    if (!query.get(name)) throw problem(401, 'NaoAutorizado', `O parâmetro ${name} é obrigatório.`);
  if (!hasFractions && TIMES.some((name) => query.get(name)?.includes('.')))
    throw problem(400, 'PixConsultaInvalida', 'Os parâmetros inicio e fim não têm frações de segundo.');
}

/**
 * @returns the body of a token request in the standard form.
 * @throws {Refused} for a request that the bank would refuse.
 */
export function standardTokenRequest(
  profile: PspProfile,
  client: Client,
  { headers, query, body }: PspRequest,
): Body {
  const wrong = (error: string, status = 400) => new Refused(status, { error }, 'application/json');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  if (profile.tokenFormat && isForm !== (profile.tokenFormat === 'form')) throw wrong('invalid_request');
  const isBasic = headers.authorization !== undefined;
  if (profile.tokenBy && isBasic !== (profile.tokenBy === 'basic')) throw wrong('invalid_client', 401);
  if (profile.isGrantInQuery && (body.grant_type !== undefined || !query.get('grant_type')))
    throw wrong('unsupported_grant_type');
  if (!profile.hasScopes && body.scope !== undefined) throw wrong('invalid_scope');
  if (profile.isSecretless && (isBasic || body.client_secret !== undefined))
    throw wrong('invalid_client', 401);
  return {
    ...body,
    ...(profile.isGrantInQuery && { grant_type: query.get('grant_type') }),
    // The certificate has authenticated the client, so its secret is filled in.
    ...(profile.isSecretless && body.client_id === client.id && { client_secret: client.secret }),
  };
}

/** @returns the answer in the bank's form. */
export function bankAnswer({ created, codeName }: PspProfile, { status, body }: Answer): Answer {
  const { pixCopiaECola, ...rest } = objectOf(body);
  const isRenamed = pixCopiaECola !== undefined && codeName !== 'pixCopiaECola';
  return {
    status: status === 201 ? created : status,
    body: isRenamed ? { ...rest, [codeName]: pixCopiaECola } : body,
  };
}

/** @returns the refusal in the bank's form. */
export function bankRefusal({ errors }: PspProfile, error: unknown): unknown {
  if (errors === 'standard' || !(error instanceof Refused) || error.status === 401) return error;
  const { type, detail } = objectOf(error.body);
  if (typeof type !== 'string') return error;
  const own = { codigo: '4769515', versao: '1', mensagem: detail, ocorrencia: 'sandbox' };
  return new Refused(error.status, { erros: [own] }, 'application/json');
}
