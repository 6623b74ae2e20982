/** Settings of a PIX rail over API Pix: one provider, one key, and the authentication of its callbacks. */
import { isCidr } from '../../base/access/cidr.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import { readAuthority, readCertificate } from './certificates.ts';

/** All settings of the rail, validated. */
export type ApiPixSettings = Readonly<ReturnType<typeof readApiPixSettings>>;

/** Transport of callbacks, and authentication of their caller. */
export type CallbackSettings = Readonly<ReturnType<typeof readCallback>>;

/** Payouts by Efí's "envio de Pix". */
export type EfiSettings = Readonly<ReturnType<typeof readPayouts>>;

const SCOPES = ['cob.write', 'cob.read', 'pix.write', 'pix.read', 'webhook.write', 'webhook.read'];
const PAYOUT_SCOPES = ['pix.send', 'gn.pix.send.read'];
const BALANCE_SCOPE = 'gn.balance.read';
const EFI_INFRACTION_SCOPES = ['gn.infractions.read', 'gn.infractions.write'];
const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]+)):(\d{1,5})$/;
const SECRET_MIN = 32;
const HEADER_NAME = /^[A-Za-z0-9-]{1,80}$/;
const CITY = /^[ -~]{1,15}$/;
const QUERY_NAME = /^[A-Za-z0-9._-]{1,80}$/;
/** Set by each call itself. */
const OWN_HEADERS = ['authorization', 'content-type', 'content-length', 'accept', 'host', 'connection'];

/**
 * @param json - the object that is named `pix`.
 * @param path - of the object, for messages.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readApiPixSettings(json: unknown, path: string) {
  const given = new Settings(json, path);
  given.choice('kind', ['api-pix']);
  const payouts = given.has('payouts') ? readPayouts(given.part('payouts')) : null;
  const scopes = given.texts('scopes');
  const settings = given.end({
    /** Base URL of the calls of API Pix, without a slash at its end. */
    url: given.url('url'),
    tokenUrl: given.url('tokenUrl'),
    clientId: given.text('clientId'),
    /** Null where the certificate alone proves us. */
    clientSecret: given.has('clientSecretFile') ? given.contents('clientSecretFile') : null,
    /** Place of client id and secret in a token request: the header `Authorization`, or the form. */
    tokenBy: given.choice('tokenBy', ['basic', 'form'], given.has('clientSecretFile') ? 'basic' : 'form'),
    /** Sent with every call but that for a token. */
    headers: fixedIn(given, 'headers', HEADER_NAME),
    query: fixedIn(given, 'query', QUERY_NAME),
    /** Scopes that tokens are requested for. */
    scopes: scopes.length > 0 ? scopes : defaultScopes(payouts !== null, given),
    ...readCertificate(given),
    /** Authorities that sign the provider's certificate; null for the authorities that the system knows. */
    ca: given.has('caFile') ? readAuthority(given, 'caFile') : null,
    /** The key that charges are paid to. */
    pixKey: keyIn(given, 'pixKey'),
    ispb: given.match('ispb', /^[0-9A-Z]{8}$/, 'an ISPB: 8 digits or capital letters'),
    /** Shown in codes that are made here, where the provider makes none. */
    merchantCity: given.match('merchantCity', CITY, '1 to 15 letters without accents', 'SAO PAULO'),
    callback: given.has('callback') ? readCallback(given.part('callback')) : null,
    payouts,
    /** A list of disputes and reports (MED) in the form of `crossramp psp`; null where there is none. */
    infractionsUrl: given.has('infractionsUrl') ? given.url('infractionsUrl') : null,
    /** Efí's list of infractions (MED); null where the provider has another one, or none. */
    efiInfractionsUrl: given.has('efiInfractionsUrl') ? given.url('efiInfractionsUrl') : null,
    /** Tells what the account has, in the form of Efí's *saldo*; null where the provider has no such call. */
    balanceUrl: given.has('balanceUrl') ? given.url('balanceUrl') : null,
    /** Fate of a payment whose payer the provider does not name. */
    unknownPayer: given.choice('unknownPayer', ['accept', 'hold'], 'accept'),
    /** Time limit of a call. */
    timeoutSeconds: given.integer('timeoutSeconds', { min: 1, max: 60, fallback: 15 }),
    /** Interval of reading the statement. */
    pollSeconds: given.integer('pollSeconds', { min: 1, max: 3_600, fallback: 60 }),
    /** After so long an order that the provider says it never had is sent again, under the same name. */
    sendAgainSeconds: given.integer('sendAgainSeconds', { min: 1, max: 3_600, fallback: 60 }),
  });
  if (settings.clientSecret === null && settings.tokenBy === 'basic')
    throw new SettingsError(`${path}: tokenBy "basic" needs clientSecretFile`);
  if (settings.infractionsUrl !== null && settings.efiInfractionsUrl !== null)
    throw new SettingsError(`${path}: infractionsUrl and efiInfractionsUrl exclude each other`);
  return settings;
}

/** Members that a bank wants with each call, such as the number of the account, or the key of an application. */
function fixedIn(given: Settings, name: string, form: RegExp): Readonly<Record<string, string>> {
  if (!given.has(name)) return {};
  const part = given.part(name);
  const members = part.names().map((each) => {
    if (!form.test(each) || OWN_HEADERS.includes(each.toLowerCase()))
      given.refuse(name, `names of the bank's own, not ${each}`);
    return [each, part.match(each, /^[!-~](?:[ -~]{0,398}[!-~])?$/, 'a text of printable ASCII')] as const;
  });
  return part.end(Object.fromEntries(members));
}

function defaultScopes(paysOut: boolean, given: Settings): readonly string[] {
  return [
    ...SCOPES,
    ...(paysOut ? PAYOUT_SCOPES : []),
    ...(given.has('balanceUrl') ? [BALANCE_SCOPE] : []),
    ...(given.has('efiInfractionsUrl') ? EFI_INFRACTION_SCOPES : []),
  ];
}

function readCallback(given: Settings) {
  const settings = given.end({
    /** URL as the provider calls it: it adds `/pix`. */
    url: given.url('url'),
    /** A TLS listener of its own; null where callbacks come through the gateway's port. */
    listen: given.has('listen') ? readListen(given) : null,
    /** Authorities that sign the certificates of callers; null where a secret path alone tells them. */
    clientCa: given.has('clientCaFile') ? readAuthority(given, 'clientCaFile') : null,
    /** Names of which a caller's certificate has to have one; any where there are none. */
    clientNames: given.texts('clientNames'),
    /** A header, in small letters, in which a proxy hands the caller's certificate on; null for none. */
    proxyHeader: given.has('proxyHeader') ? headerIn(given, 'proxyHeader') : null,
    /** Networks of that proxy. */
    proxies: given.texts('proxies'),
    /** Makes a part of the path that nobody can guess; null for none. */
    secret: given.has('secretFile') ? given.contents('secretFile') : null,
    /** Whether the provider is asked about every report; otherwise callers are trusted whose certificate has one of clientNames. */
    confirm: given.flag('confirm', true),
  });
  if (!settings.proxies.every(isCidr)) given.refuse('proxies', 'networks such as 10.0.0.0/8');
  const problem = problemOf(settings);
  if (problem) throw new SettingsError(`${given.path}: ${problem}`);
  return settings;
}

function headerIn(given: Settings, name: string): string {
  return given.match(name, /^[A-Za-z0-9-]+$/, 'the name of a header field').toLowerCase();
}

/** @returns the reason for which callers cannot be told apart; undefined where they can. */
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

function readListen(given: Settings) {
  const text = given.match('listen', LISTEN, 'a host and a port, such as 0.0.0.0:8443');
  const [, ipv6, host, port] = LISTEN.exec(text) ?? [];
  if (Number(port) > 65_535) given.refuse('listen', 'a port up to 65535');
  return { host: ipv6 ?? host ?? '', port: Number(port), ...readCertificate(given) };
}

function readPayouts(given: Settings) {
  return given.end({
    kind: given.choice('kind', ['efi']),
    url: given.url('url'),
    /** The key that pays. */
    payingKey: keyIn(given, 'payingKey'),
    /** Base URL of key look-ups; null when the provider has no such call. */
    lookUpUrl: given.has('lookUpUrl') ? given.url('lookUpUrl') : null,
  });
}

function keyIn(given: Settings, name: string): string {
  return given.match(name, /^[!-~]{1,77}$/, 'a PIX key: at most 77 characters, as the directory has it');
}
