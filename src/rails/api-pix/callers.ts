/**
 * Identifies callers: by the certificate of the connection, by one that a trusted proxy passes on, or by an
 * unguessable part of the path. Where several are configured, all of them must be right.
 */
import { createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { certificatesIn } from './certificates.ts';
import type { ApiPixSettings, CallbackSettings } from './settings.ts';

/** Checks of a caller. */
export interface CallerCheck {
  /** First part of the path, or the member `hmac` of the query; null for none. */
  readonly token: string | null;
  readonly isTokenInQuery: boolean;
  /** @returns the reason for which the caller is refused; undefined when the caller is known. */
  readonly refusal: (request: IncomingMessage) => string | undefined;
}

/** The part of the path that nobody can guess: the same in all processes, another one for each key. */
export function callbackToken({
  callback,
  pixKey,
}: Pick<ApiPixSettings, 'callback' | 'pixKey'>): string | null {
  const secret = callback?.secret ?? null;
  return secret === null ? null : createHmac('sha256', secret).update(`callback:${pixKey}`).digest('hex');
}

/** @returns the URL that the provider is given. */
export function callbackUrl(settings: ApiPixSettings): string | null {
  const { callback } = settings;
  if (!callback) return null;
  const token = callbackToken(settings);
  const isInPath = token !== null && callback.secretIn === 'path';
  const query = [
    ...(token !== null && !isInPath ? [`hmac=${token}`] : []),
    // The provider adds `/pix` to the end, which is a value of the query then (Efí).
    ...(callback.suffix === 'ignorar' ? ['ignorar='] : []),
  ];
  const url = isInPath ? `${callback.url}/${token}` : callback.url;
  return query.length === 0 ? url : `${url}?${query.join('&')}`;
}

/** Callers of the listener: TLS has checked who signed their certificate. */
export function listenerCheck(settings: ApiPixSettings, callback: CallbackSettings): CallerCheck {
  return {
    ...tokenOf(settings, callback),
    refusal: ({ socket }) => {
      const certificate = (socket as TLSSocket).getPeerX509Certificate?.();
      if (!(socket as TLSSocket).authorized || !certificate) return 'a client certificate is required';
      return nameProblem(certificate, callback.clientNames);
    },
  };
}

/** Callers of the gateway's port: by the header of a proxy, by the path, or by both. Undefined where it takes no callbacks. */
export function portCheck(settings: ApiPixSettings, callback: CallbackSettings): CallerCheck | undefined {
  const token = tokenOf(settings, callback);
  const { proxyHeader, clientCa, clientNames, proxies } = callback;
  if (proxyHeader === null || clientCa === null)
    return token.token === null ? undefined : { ...token, refusal: () => undefined };
  const authorities = certificatesIn(clientCa);
  const isProxy = networks(proxies);
  return {
    ...token,
    refusal: ({ socket, headers }) => {
      if (!isProxy(socket.remoteAddress ?? '')) return 'callbacks come through the proxy';
      const certificate = certificateIn(headers[proxyHeader]);
      if (!certificate) return 'a client certificate is required';
      return certificateProblem(certificate, authorities) ?? nameProblem(certificate, clientNames);
    },
  };
}

/**
 * @returns whether a caller that passes the check is the provider and no other: a certificate of which one of our names is demanded. Its
 *   authority may sign others, and a path may have been seen in a log.
 */
export function isProvider(callback: CallbackSettings): boolean {
  return hasCertificate(callback) && callback.clientNames.length > 0;
}

/** @returns whether callers are checked by a certificate. */
export function hasCertificate({ clientCa, proxyHeader, secret }: CallbackSettings): boolean {
  return clientCa !== null && (proxyHeader !== null || secret === null);
}

/** @returns the path after its secret part, without query; or the reason of a refusal. */
export function refusalOf(
  { token, isTokenInQuery, refusal }: CallerCheck,
  request: IncomingMessage,
  path: string,
): { readonly rest: string; readonly refusal: string | undefined } {
  const [plain = '', ...query] = path.split('?');
  const parts = plain.split('/').filter((part) => part !== '');
  const candidate =
    token === null
      ? ''
      : ((isTokenInQuery ? new URLSearchParams(query.join('?')).get('hmac') : parts.shift()) ?? '');
  const isKnown = token === null || isSame(candidate, token);
  return {
    rest: parts.join('/'),
    refusal: isKnown ? refusal(request) : 'the address is not the one that was given',
  };
}

function tokenOf(
  settings: ApiPixSettings,
  { secretIn }: CallbackSettings,
): Pick<CallerCheck, 'token' | 'isTokenInQuery'> {
  return { token: callbackToken(settings), isTokenInQuery: secretIn === 'query' };
}

/** As RFC 9440 has it (`:base64:`), or as a proxy escapes PEM for a URL. */
function certificateIn(header: string | string[] | undefined): X509Certificate | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  try {
    const encoded = /^:([A-Za-z0-9+/=]+):$/.exec(header)?.[1];
    return new X509Certificate(encoded ? Buffer.from(encoded, 'base64') : decodeURIComponent(header));
  } catch {
    return undefined;
  }
}

function certificateProblem(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
): string | undefined {
  const isSigned = authorities.some(
    (each) => certificate.checkIssued(each) && certificate.verify(each.publicKey),
  );
  if (!isSigned) return 'the certificate is signed by nobody who is known';
  const nowMs = Date.now();
  const isValid = certificate.validFromDate.getTime() <= nowMs && nowMs < certificate.validToDate.getTime();
  return isValid ? undefined : 'the certificate has ended, or does not begin yet';
}

function nameProblem(certificate: X509Certificate, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const common = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  const alternatives = (certificate.subjectAltName ?? '')
    .split(', ')
    .map((each) => each.replace(/^DNS:/, ''));
  const isNamed = names.some((name) => name === common || alternatives.includes(name));
  return isNamed ? undefined : 'the certificate is of somebody else';
}

function networks(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    const isSix = isIPv6(network);
    list.addSubnet(network, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return isIP(plain) !== 0 && list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

function isSame(candidate: string, token: string): boolean {
  const [left, right] = [Buffer.from(candidate), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
