/**
 * Tokens (OAuth 2.0, client credentials). A token contains its expiry and its scopes, authenticated by a stored key, so
 * it stays valid after a restart.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { problem, Refused } from './problem.ts';

/** Clients that can get tokens. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Scopes of tokens. */
export const SCOPES = [
  'cob.write',
  'cob.read',
  'pix.write',
  'pix.read',
  'webhook.write',
  'webhook.read',
  'pix.send',
  'gn.pix.send.read',
  'gn.balance.read',
  'pagamento-pix.write',
  'pagamento-pix.read',
  'gn.infractions.read',
  'gn.infractions.write',
] as const;
/** A member of SCOPES. */
export type PspScope = (typeof SCOPES)[number];

const LIVES_S = 3_600;

/** `POST /oauth/token`. Expiry uses the machine's clock, because tokens are independent of the sandbox clock. */
export function issueToken(
  client: Client,
  key: string,
  authorization: string | undefined,
  form: Readonly<Record<string, unknown>>,
): object {
  const basic = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
  const [id = '', secret = ''] = basic
    ? Buffer.from(basic, 'base64').toString().split(/:(.*)/s).map(decode)
    : [String(form.client_id ?? ''), String(form.client_secret ?? '')];
  if (!isSame(id, client.id) || !isSame(secret, client.secret))
    throw new Refused(401, { error: 'invalid_client' }, 'application/json');
  if (form.grant_type !== 'client_credentials')
    throw new Refused(400, { error: 'unsupported_grant_type' }, 'application/json');
  const scopes = typeof form.scope === 'string' && form.scope !== '' ? form.scope.split(' ') : SCOPES;
  if (!scopes.every((scope) => (SCOPES as readonly string[]).includes(scope)))
    throw new Refused(400, { error: 'invalid_scope' }, 'application/json');
  const scope = scopes.join(' ');
  const facts = Buffer.from(JSON.stringify([Date.now() + LIVES_S * 1_000, scope])).toString('base64url');
  return {
    access_token: `${facts}.${seal(facts, key)}`,
    token_type: 'Bearer',
    expires_in: LIVES_S,
    scope,
  };
}

/** @throws {Refused} 401 without a valid token, 403 for a token without the scope. */
export function checkToken(key: string, authorization: string | undefined, scope: PspScope): void {
  const [facts = '', mark = ''] = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]?.split('.') ?? [];
  if (!isSame(mark, seal(facts, key))) throw unauthorized();
  const [untilMs, scopes] = JSON.parse(Buffer.from(facts, 'base64url').toString()) as [number, string];
  if (untilMs <= Date.now()) throw unauthorized();
  if (!scopes.split(' ').includes(scope))
    throw problem(403, 'AcessoNegado', `A requisição exige o escopo ${scope}.`);
}

/** @returns the refusal of an invalid token. */
export function unauthorized(): Refused {
  return new Refused(401, { error: 'invalid_token' }, 'application/json');
}

/** Decodes client id or secret, which are encoded as in a form (RFC 6749, 2.3.1). */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function seal(facts: string, key: string): string {
  return createHmac('sha256', key).update(facts).digest('base64url');
}

/** Compares hashes in constant time, independent of the lengths of the inputs. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
