/** Settings of a PIX rail over API Pix: one provider, one key, and the authentication of its callbacks. */
import { isCidr } from '../../base/access/cidr.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import {
  BANK_NAMES,
  BANK_PROFILES,
  type BankName,
  type BankProfile,
  CALLBACK_SUFFIXES,
  ERROR_FORMS,
  PAYOUT_KINDS,
  type Resource,
  STANDARD,
  TIME_FORMS,
  TOKEN_FORMATS,
  TOKEN_PLACES,
} from './bank-profiles.ts';
import { readAuthority, readCertificate } from './certificates.ts';
import { readHeaders, readQuery } from './fixed-members.ts';

/** All settings of the rail, validated. */
export type ApiPixSettings = Readonly<ReturnType<typeof readApiPixSettings>>;

/** Transport of callbacks, and authentication of their caller. */
export type CallbackSettings = Readonly<ReturnType<typeof readCallback>>;

/** Payouts, by the adapter that makes them. */
export type PayoutSettings = Readonly<ReturnType<typeof readPayouts>>;
/** Payouts by Efí's "envio de Pix". */
export type EfiSettings = Extract<PayoutSettings, { kind: 'efi' }>;
/** Payouts by Inter's "pagamento Pix". */
export type InterSettings = Extract<PayoutSettings, { kind: 'inter' }>;

const SCOPES = ['cob.write', 'cob.read', 'pix.write', 'pix.read', 'webhook.write', 'webhook.read'];
const PAYOUT_SCOPES: Readonly<Record<PayoutSettings['kind'], readonly string[]>> = {
  efi: ['pix.send', 'gn.pix.send.read'],
  inter: ['pagamento-pix.write', 'pagamento-pix.read'],
};
const BALANCE_SCOPE = 'gn.balance.read';
const EFI_INFRACTION_SCOPES = ['gn.infractions.read', 'gn.infractions.write'];
const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]+)):(\d{1,5})$/;
const SECRET_MIN = 32;
const CITY = /^[ -~]{1,15}$/;
const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * @param json - the object that is named `pix`.
 * @param path - of the object, for messages.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readApiPixSettings(json: unknown, path: string) {
  const given = new Settings(json, path);
  given.choice('kind', ['api-pix']);
  const name = given.has('profile') ? readBankName(given) : null;
  const profile: BankProfile = name === null ? STANDARD : BANK_PROFILES[name];
  const payouts = given.has('payouts') ? readPayouts(given.part('payouts'), profile) : null;
  const usualScopes = profile.scopes ?? defaultScopes(payouts, given);
  const settings = given.end({
    /** Bank whose profile gives defaults; null: those of the standard. */
    profile: name,
    /** Base URL of the calls of API Pix, without a slash at its end. */
    url: urlIn(given, 'url', profile.url),
    tokenUrl: urlIn(given, 'tokenUrl', profile.tokenUrl),
    clientId: given.text('clientId'),
    /** Null where the certificate alone proves us. */
    clientSecret: given.has('clientSecretFile') ? given.contents('clientSecretFile') : null,
    /** Place of client id and secret in a token request: the header `Authorization`, or the form. */
    tokenBy: given.choice(
      'tokenBy',
      TOKEN_PLACES,
      profile.tokenBy ?? (given.has('clientSecretFile') ? 'basic' : 'form'),
    ),
    /** Body of a token request; with `tokenBy` "form", client id and secret are members of it. */
    tokenFormat: given.choice('tokenFormat', TOKEN_FORMATS, profile.tokenFormat),
    tokenQuery: readQuery(given, 'tokenQuery', profile.tokenQuery),
    /** Sent with every call but that for a token. */
    headers: readHeaders(given, profile.headers),
    query: readQuery(given, 'query'),
    /** Paths of resources below the base URL. */
    paths: readPaths(given, profile),
    times: given.choice('times', TIME_FORMS, profile.times),
    errors: given.choice('errors', ERROR_FORMS, profile.errors),
    /** Scopes that tokens are requested for; none: the request names none. */
    scopes: given.has('scopes') ? given.texts('scopes') : usualScopes,
    ...readCertificate(given),
    /** Authorities that sign the provider's certificate; null for the authorities that the system knows. */
    ca: given.has('caFile') ? readAuthority(given, 'caFile') : null,
    /** The key that charges are paid to. */
    pixKey: keyIn(given, 'pixKey'),
    ispb: given.match('ispb', /^[0-9A-Z]{8}$/, 'an ISPB: 8 digits or capital letters'),
    /** Shown in codes that are made here, where the provider makes none. */
    merchantCity: given.match('merchantCity', CITY, '1 to 15 letters without accents', 'SAO PAULO'),
    callback: given.has('callback') ? readCallback(given.part('callback'), profile) : null,
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

function readBankName(given: Settings): BankName {
  if (given.raw('profile') === 'btg')
    given.refuse('profile', `one of ${BANK_NAMES.join(', ')}: BTG has an interface of its own, not API Pix`);
  return given.choice('profile', BANK_NAMES);
}

function urlIn(given: Settings, name: string, usual: string | null): string {
  return usual === null || given.has(name) ? given.url(name) : usual;
}

/** @returns a path for each resource, without slashes at its ends. */
function readPaths(given: Settings, { paths: usual }: BankProfile): Readonly<Record<Resource, string>> {
  const part = new Settings(given.has('paths') ? given.raw('paths') : {}, given.at('paths'));
  const path = (name: Resource, fallback: string) =>
    part.match(name, PATH, 'a path such as v2/cob', usual[name] ?? fallback);
  const cob = path('cob', 'cob');
  const cobPatch = path('cobPatch', cob);
  return part.end({ cob, cobPatch, pix: path('pix', 'pix'), webhook: path('webhook', 'webhook') });
}

function defaultScopes(payouts: PayoutSettings | null, given: Settings): readonly string[] {
  return [
    ...SCOPES,
    ...(payouts ? PAYOUT_SCOPES[payouts.kind] : []),
    ...(given.has('balanceUrl') ? [BALANCE_SCOPE] : []),
    ...(given.has('efiInfractionsUrl') ? EFI_INFRACTION_SCOPES : []),
  ];
}

function readCallback(given: Settings, { callbackSuffix }: BankProfile) {
  const settings = given.end({
    /** URL as the provider calls it: most add `/pix`. */
    url: given.url('url'),
    suffix: given.choice('suffix', CALLBACK_SUFFIXES, callbackSuffix),
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
    /** Whether that part is in the path, or the member `hmac` of the query. */
    secretIn: given.choice('secretIn', ['path', 'query'], 'path'),
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

function readPayouts(given: Settings, { payouts }: BankProfile) {
  const kind = given.choice('kind', PAYOUT_KINDS, payouts?.kind);
  const url = urlIn(given, 'url', payouts?.kind === kind ? payouts.url : null);
  if (kind === 'inter') return given.end({ kind, url });
  return given.end({
    kind,
    url,
    /** The key that pays. */
    payingKey: keyIn(given, 'payingKey'),
    /** Base URL of key look-ups; null when the provider has no such call. */
    lookUpUrl: given.has('lookUpUrl') ? given.url('lookUpUrl') : null,
  });
}

function keyIn(given: Settings, name: string): string {
  return given.match(name, /^[!-~]{1,77}$/, 'a PIX key: at most 77 characters, as the directory has it');
}
