/**
 * Identifies callers by the certificate of the connection, by a certificate that a trusted proxy passes on, or by an
 * unguessable part of the path. If several are configured, all must match.
 */
import { createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { certificatesIn } from './certificates.ts';
import type { ApiPixSettings, CallbackSettings } from './settings.ts';

/** Authentication of a caller. */
export interface CallerCheck {
  /** First segment of the path, or the query member `hmac`; null without a secret. */
  readonly token: string | null;
  readonly isTokenInQuery: boolean;
  /** @returns the reason for refusing the caller; undefined for a known caller. */
  readonly refusal: (request: IncomingMessage) => string | undefined;
}

/** The unguessable part of the path: the same in all processes, different for each PIX key. */
export function callbackToken({
  callback,
  pixKey,
}: Pick<ApiPixSettings, 'callback' | 'pixKey'>): string | null {
  const secret = callback?.secret ?? null;
  return secret === null ? null : createHmac('sha256', secret).update(`callback:${pixKey}`).digest('hex');
}

/** @returns the URL to register at the provider. */
export function callbackUrl(settings: ApiPixSettings): string | null {
  const { callback } = settings;
  if (!callback) return null;
  const token = callbackToken(settings);
  const isInPath = token !== null && callback.secretIn === 'path';
  const query = [
    ...(token !== null && !isInPath ? [`hmac=${token}`] : []),
    // The provider (Efí) appends `/pix` to the end of the URL, which is then the value of this query member.
    ...(callback.suffix === 'ignorar' ? ['ignorar='] : []),
  ];
  const url = isInPath ? `${callback.url}/${token}` : callback.url;
  return query.length === 0 ? url : `${url}?${query.join('&')}`;
}

/** Checks callers of the listener. TLS has already checked the issuer of their certificate. */
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

/**
 * Checks callers of the gateway's port by the header of a proxy, by the path, or by both. Undefined if the port accepts
 * no callbacks.
 */
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
 * @returns whether only the provider can pass the check, which requires a certificate with one of the configured names.
 *   Without names the authority may have signed other certificates, and a secret path may have leaked through a log.
 */
export function isProvider(callback: CallbackSettings): boolean {
  return hasCertificate(callback) && callback.clientNames.length > 0;
}

/** @returns whether a certificate identifies callers. */
export function hasCertificate({ clientCa, proxyHeader, secret }: CallbackSettings): boolean {
  return clientCa !== null && (proxyHeader !== null || secret === null);
}

/** @returns the path after its secret part, without the query; or the reason of a refusal. */
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
    refusal: isKnown ? refusal(request) : 'the path does not have the expected secret',
  };
}

function tokenOf(
  settings: ApiPixSettings,
  { secretIn }: CallbackSettings,
): Pick<CallerCheck, 'token' | 'isTokenInQuery'> {
  return { token: callbackToken(settings), isTokenInQuery: secretIn === 'query' };
}

/** Reads a certificate in the form of RFC 9440 (`:base64:`), or as PEM that a proxy escaped as in a URL. */
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
  if (!isSigned) return 'the certificate is signed by an unknown authority';
  const nowMs = Date.now();
  const isValid = certificate.validFromDate.getTime() <= nowMs && nowMs < certificate.validToDate.getTime();
  return isValid ? undefined : 'the certificate has expired, or is not valid yet';
}

function nameProblem(certificate: X509Certificate, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const common = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  const alternatives = (certificate.subjectAltName ?? '')
    .split(', ')
    .map((each) => each.replace(/^DNS:/, ''));
  const isNamed = names.some((name) => name === common || alternatives.includes(name));
  return isNamed ? undefined : 'the certificate has another name';
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
