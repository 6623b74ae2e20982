/** Settings of a PIX rail over API Pix: one provider, one key, and how its callbacks are known to be its own. */
import { isCidr } from '../../base/cidr.ts';
import { Settings, SettingsError } from '../../base/settings.ts';
import { type Certificate, readAuthority, readCertificate } from './certificates.ts';

/** How callbacks arrive, and by what a caller is known. */
export interface CallbackSettings {
  /** As the provider calls it: it adds `/pix`. */
  readonly url: string;
  /** A TLS listener of its own; null where callbacks come through the gateway's port. */
  readonly listen: (Certificate & { readonly host: string; readonly port: number }) | null;
  /** Who signs the certificates of callers; null where a secret path alone tells them. */
  readonly clientCa: string | null;
  /** Names of which a caller's certificate has to have one; any where there are none. */
  readonly clientNames: readonly string[];
  /** A header in which a proxy hands the caller's certificate on; null for none. */
  readonly proxyHeader: string | null;
  /** Networks of that proxy. */
  readonly proxies: readonly string[];
  /** Makes a part of the path that nobody can guess; null for none. */
  readonly secret: string | null;
}

/** Payouts by Efí's "envio de Pix". */
export interface EfiSettings {
  readonly kind: 'efi';
  readonly url: string;
  /** The key that pays. */
  readonly payingKey: string;
  /** Where a key is looked up, by its path below this; null where the provider has no such call. */
  readonly lookUpUrl: string | null;
}

/** All settings of the rail, checked. */
export interface ApiPixSettings extends Certificate {
  /** Where the calls of API Pix begin, without a slash at its end. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What tokens are asked for. */
  readonly scopes: readonly string[];
  /** Who signs the provider's certificate; null for the authorities that the system knows. */
  readonly ca: string | null;
  /** The key that charges are paid to. */
  readonly pixKey: string;
  readonly ispb: string;
  /** Shown in codes that are made here, where the provider makes none. */
  readonly merchantCity: string;
  readonly callback: CallbackSettings | null;
  readonly payouts: EfiSettings | null;
  /** A list of disputes and reports (MED) in the form of `crossramp psp`; null where there is none. */
  readonly infractionsUrl: string | null;
  /** Tells what the account has, in the form of Efí's *saldo*; null where the provider has no such call. */
  readonly balanceUrl: string | null;
  /** What becomes of a payment of which the provider does not tell the payer. */
  readonly unknownPayer: 'accept' | 'hold';
  /** Time limit of a call. */
  readonly timeoutSeconds: number;
  /** How often the statement is read. */
  readonly pollSeconds: number;
  /** After so long an order that the provider says it never had is sent again, under the same name. */
  readonly sendAgainSeconds: number;
}

const SCOPES = ['cob.write', 'cob.read', 'pix.write', 'pix.read', 'webhook.write', 'webhook.read'];
const PAYOUT_SCOPES = ['pix.send', 'gn.pix.send.read'];
const BALANCE_SCOPE = 'gn.balance.read';
const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]+)):(\d{1,5})$/;
const SECRET_MIN = 32;

/**
 * @param json - the object that is named `pix`.
 * @param path - where it stands, for messages.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readApiPixSettings(json: unknown, path: string): ApiPixSettings {
  const given = new Settings(json, path);
  given.choice('kind', ['api-pix']);
  const payouts = given.has('payouts') ? readPayouts(given.part('payouts')) : null;
  const scopes = given.texts('scopes');
  const settings: ApiPixSettings = {
    url: given.url('url'),
    tokenUrl: given.url('tokenUrl'),
    clientId: given.text('clientId'),
    clientSecret: given.contents('clientSecretFile'),
    scopes: scopes.length > 0 ? scopes : defaultScopes(payouts !== null, given.has('balanceUrl')),
    ...readCertificate(given),
    ca: given.has('caFile') ? readAuthority(given, 'caFile') : null,
    pixKey: keyIn(given, 'pixKey'),
    ispb: given.match('ispb', /^[0-9A-Z]{8}$/, 'an ISPB: 8 digits or capital letters'),
    merchantCity: given.match(
      'merchantCity',
      /^[ -~]{1,15}$/,
      '1 to 15 letters without accents',
      'SAO PAULO',
    ),
    callback: given.has('callback') ? readCallback(given.part('callback')) : null,
    payouts,
    infractionsUrl: given.has('infractionsUrl') ? given.url('infractionsUrl') : null,
    balanceUrl: given.has('balanceUrl') ? given.url('balanceUrl') : null,
    unknownPayer: given.choice('unknownPayer', ['accept', 'hold'], 'accept'),
    timeoutSeconds: given.integer('timeoutSeconds', { min: 1, max: 60, fallback: 15 }),
    pollSeconds: given.integer('pollSeconds', { min: 1, max: 3_600, fallback: 60 }),
    sendAgainSeconds: given.integer('sendAgainSeconds', { min: 1, max: 3_600, fallback: 60 }),
  };
  given.end();
  return settings;
}

function defaultScopes(paysOut: boolean, tellsBalance: boolean): readonly string[] {
  return [...SCOPES, ...(paysOut ? PAYOUT_SCOPES : []), ...(tellsBalance ? [BALANCE_SCOPE] : [])];
}

function readCallback(given: Settings): CallbackSettings {
  const settings: CallbackSettings = {
    url: given.url('url'),
    listen: given.has('listen') ? readListen(given) : null,
    clientCa: given.has('clientCaFile') ? readAuthority(given, 'clientCaFile') : null,
    clientNames: given.texts('clientNames'),
    proxyHeader: given.has('proxyHeader')
      ? given.match('proxyHeader', /^[A-Za-z0-9-]+$/, 'the name of a header field').toLowerCase()
      : null,
    proxies: given.texts('proxies'),
    secret: given.has('secretFile') ? given.contents('secretFile') : null,
  };
  given.end();
  if (!settings.proxies.every(isCidr)) given.refuse('proxies', 'networks such as 10.0.0.0/8');
  const problem = problemOf(settings);
  if (problem) throw new SettingsError(`${given.path}: ${problem}`);
  return settings;
}

/** @returns why callers could not be told apart; undefined where they can. */
function problemOf({ listen, clientCa, proxyHeader, proxies, secret }: CallbackSettings): string | undefined {
  if (listen && clientCa === null) return 'listen needs clientCaFile';
  if (proxyHeader !== null && (clientCa === null || proxies.length === 0))
    return 'proxyHeader needs clientCaFile and proxies';
  if (secret !== null && secret.length < SECRET_MIN)
    return `secretFile: expected at least ${SECRET_MIN} characters in the file`;
  if (!listen && proxyHeader === null && secret === null)
    return 'expected listen, proxyHeader or secretFile: whoever calls has to be known';
  return undefined;
}

function readListen(given: Settings): NonNullable<CallbackSettings['listen']> {
  const text = given.match('listen', LISTEN, 'a host and a port, such as 0.0.0.0:8443');
  const [, ipv6, host, port] = LISTEN.exec(text) ?? [];
  if (Number(port) > 65_535) given.refuse('listen', 'a port up to 65535');
  return { host: ipv6 ?? host ?? '', port: Number(port), ...readCertificate(given) };
}

function readPayouts(given: Settings): EfiSettings {
  const settings: EfiSettings = {
    kind: given.choice('kind', ['efi']),
    url: given.url('url'),
    payingKey: keyIn(given, 'payingKey'),
    lookUpUrl: given.has('lookUpUrl') ? given.url('lookUpUrl') : null,
  };
  given.end();
  return settings;
}

function keyIn(given: Settings, name: string): string {
  return given.match(name, /^[!-~]{1,77}$/, 'a PIX key: at most 77 characters, as the directory has it');
}
