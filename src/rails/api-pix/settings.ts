/** Settings of a PIX rail over API Pix: one provider, one key, and the authentication of its callbacks. */
import { isCidr } from '../../base/access/cidr.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import {
  BANK_NAMES,
  BANK_PROFILES,
  type BankName,
  type BankProfile,
  CALLBACK_SUFFIXES,
  CREDENTIAL_LOCATIONS,
  ERROR_FORMS,
  PAYOUT_KINDS,
  type Resource,
  STANDARD,
  TIME_FORMS,
  TOKEN_FORMATS,
} from './bank-profiles.ts';
import { readAuthority, readCertificate } from './certificates.ts';
import { readHeaders, readQuery } from './fixed-members.ts';
import { readHttpMed } from './http-med-settings.ts';

/** All settings of the rail, validated. */
export type ApiPixSettings = Readonly<ReturnType<typeof readApiPixSettings>>;

/** Transport of callbacks, and authentication of their caller. */
export type CallbackSettings = Readonly<ReturnType<typeof readCallback>>;

/** Payout settings, by adapter. */
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
 * @param json - the object of the member `pix`.
 * @param path - of the object, for messages.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readApiPixSettings(json: unknown, path: string) {
  const source = new Settings(json, path);
  source.choice('kind', ['api-pix']);
  const name = source.has('profile') ? readBankName(source) : null;
  const profile: BankProfile = name === null ? STANDARD : BANK_PROFILES[name];
  const payouts = source.has('payouts') ? readPayouts(source.part('payouts'), profile) : null;
  const usualScopes = profile.scopes ?? defaultScopes(payouts, source);
  const settings = source.end({
    /** Bank whose profile supplies the defaults; null for the defaults of the standard. */
    profile: name,
    /** Base URL of API Pix, without a trailing slash. */
    url: urlIn(source, 'url', profile.url),
    tokenUrl: urlIn(source, 'tokenUrl', profile.tokenUrl),
    clientId: source.text('clientId'),
    /** Null if the certificate alone authenticates the gateway. */
    clientSecret: source.has('clientSecretFile') ? source.contents('clientSecretFile') : null,
    /** Location of client id and secret in a token request: the header `Authorization`, or the form. */
    tokenBy: source.choice(
      'tokenBy',
      CREDENTIAL_LOCATIONS,
      profile.tokenBy ?? (source.has('clientSecretFile') ? 'basic' : 'form'),
    ),
    /** Body of a token request, which also contains client id and secret if `tokenBy` is "form". */
    tokenFormat: source.choice('tokenFormat', TOKEN_FORMATS, profile.tokenFormat),
    tokenQuery: readQuery(source, 'tokenQuery', profile.tokenQuery),
    /** Header fields of every call except the token request. */
    headers: readHeaders(source, profile.headers),
    query: readQuery(source, 'query'),
    /** Paths of resources below the base URL. */
    paths: readPaths(source, profile),
    times: source.choice('times', TIME_FORMS, profile.times),
    errors: source.choice('errors', ERROR_FORMS, profile.errors),
    /** Scopes to request; an empty list requests a token without naming scopes. */
    scopes: source.has('scopes') ? source.texts('scopes') : usualScopes,
    ...readCertificate(source),
    /** Authorities that sign the provider's certificate; null for the system's authorities. */
    ca: source.has('caFile') ? readAuthority(source, 'caFile') : null,
    /** The PIX key that charges are paid to. */
    pixKey: keyIn(source, 'pixKey'),
    ispb: source.match('ispb', /^[0-9A-Z]{8}$/, 'an ISPB: 8 digits or capital letters'),
    /** City shown in codes that the gateway composes because the provider returns none. */
    merchantCity: source.match('merchantCity', CITY, '1 to 15 letters without accents', 'SAO PAULO'),
    callback: source.has('callback') ? readCallback(source.part('callback'), profile) : null,
    payouts,
    /** List of disputes and reports of fraud (MED) in the form of `crossramp psp`; null without such a list. */
    infractionsUrl: source.has('infractionsUrl') ? source.url('infractionsUrl') : null,
    /** Efí's list of infractions (MED); null without such a list. */
    efiInfractionsUrl: source.has('efiInfractionsUrl') ? source.url('efiInfractionsUrl') : null,
    /** Disputes and reports of fraud (MED) through a JSON interface described by the settings; null without one. */
    med: source.has('med') ? readHttpMed(source.part('med')) : null,
    /** Balance query in the form of Efí's *saldo*; null if the provider has none. */
    balanceUrl: source.has('balanceUrl') ? source.url('balanceUrl') : null,
    /** Treatment of a payment whose payer the provider does not name. */
    unknownPayer: source.choice('unknownPayer', ['accept', 'hold'], 'accept'),
    /** Time limit of a call. */
    timeoutSeconds: source.integer('timeoutSeconds', { min: 1, max: 60, fallback: 15 }),
    /** Interval between reads of the statement. */
    pollSeconds: source.integer('pollSeconds', { min: 1, max: 3_600, fallback: 60 }),
    /** Age from which an order that the provider does not know is sent again, under the same id. */
    sendAgainSeconds: source.integer('sendAgainSeconds', { min: 1, max: 3_600, fallback: 60 }),
  });
  if (settings.clientSecret === null && settings.tokenBy === 'basic')
    throw new SettingsError(`${path}: tokenBy "basic" needs clientSecretFile`);
  const lists = [settings.infractionsUrl, settings.efiInfractionsUrl, settings.med];
  if (lists.filter((each) => each !== null).length > 1)
    throw new SettingsError(`${path}: infractionsUrl, efiInfractionsUrl and med exclude each other`);
  return settings;
}

/** @returns whether the provider lists disputes. If not, returns by MED are the disputes. */
export function listsDisputes({
  infractionsUrl,
  med,
}: Pick<ApiPixSettings, 'infractionsUrl' | 'med'>): boolean {
  return infractionsUrl !== null || (med !== null && med.disputes.length > 0);
}

function readBankName(source: Settings): BankName {
  if (source.raw('profile') === 'btg')
    source.refuse('profile', `one of ${BANK_NAMES.join(', ')}: BTG has an interface of its own, not API Pix`);
  return source.choice('profile', BANK_NAMES);
}

function urlIn(source: Settings, name: string, usual: string | null): string {
  return usual === null || source.has(name) ? source.url(name) : usual;
}

/** @returns a path for each resource, without leading and trailing slashes. */
function readPaths(source: Settings, { paths: usual }: BankProfile): Readonly<Record<Resource, string>> {
  const part = new Settings(source.has('paths') ? source.raw('paths') : {}, source.at('paths'));
  const path = (name: Resource, fallback: string) =>
    part.match(name, PATH, 'a path such as v2/cob', usual[name] ?? fallback);
  const cob = path('cob', 'cob');
  const cobPatch = path('cobPatch', cob);
  return part.end({ cob, cobPatch, pix: path('pix', 'pix'), webhook: path('webhook', 'webhook') });
}

function defaultScopes(payouts: PayoutSettings | null, source: Settings): readonly string[] {
  return [
    ...SCOPES,
    ...(payouts ? PAYOUT_SCOPES[payouts.kind] : []),
    ...(source.has('balanceUrl') ? [BALANCE_SCOPE] : []),
    ...(source.has('efiInfractionsUrl') ? EFI_INFRACTION_SCOPES : []),
  ];
}

function readCallback(source: Settings, { callbackSuffix }: BankProfile) {
  const settings = source.end({
    /** Callback URL that is registered at the provider; most providers append `/pix` to it. */
    url: source.url('url'),
    suffix: source.choice('suffix', CALLBACK_SUFFIXES, callbackSuffix),
    /** Separate TLS listener; null if callbacks come through the gateway's port. */
    listen: source.has('listen') ? readListen(source) : null,
    /** Authorities that sign the callers' certificates; null if only a secret path identifies callers. */
    clientCa: source.has('clientCaFile') ? readAuthority(source, 'clientCaFile') : null,
    /** Accepted names in a caller's certificate; an empty list accepts any name. */
    clientNames: source.texts('clientNames'),
    /** Header, in lower case, in which a proxy passes on the caller's certificate; null for none. */
    proxyHeader: source.has('proxyHeader') ? headerIn(source, 'proxyHeader') : null,
    /** Networks of the proxy. */
    proxies: source.texts('proxies'),
    /** Secret from which an unguessable part of the path is derived; null for none. */
    secret: source.has('secretFile') ? source.contents('secretFile') : null,
    /** Location of the unguessable part: in the path, or in the query member `hmac`. */
    secretIn: source.choice('secretIn', ['path', 'query'], 'path'),
    /**
     * Whether every report is confirmed at the provider. If false, callers are trusted whose certificate has one of
     * `clientNames`.
     */
    confirm: source.flag('confirm', true),
  });
  if (!settings.proxies.every(isCidr)) source.refuse('proxies', 'networks such as 10.0.0.0/8');
  const problem = problemOf(settings);
  if (problem) throw new SettingsError(`${source.path}: ${problem}`);
  return settings;
}

function headerIn(source: Settings, name: string): string {
  return source.match(name, /^[A-Za-z0-9-]+$/, 'the name of a header field').toLowerCase();
}

/** @returns the reason why callers cannot be authenticated; undefined if they can. */
function problemOf({ listen, clientCa, proxyHeader, proxies, secret }: CallbackSettings): string | undefined {
  if (listen && clientCa === null) return 'listen needs clientCaFile';
  if (proxyHeader !== null && (clientCa === null || proxies.length === 0))
    return 'proxyHeader needs clientCaFile and proxies';
  if (secret !== null && secret.length < SECRET_MIN)
    return `secretFile: expected at least ${SECRET_MIN} characters in the file`;
  if (!listen && proxyHeader === null && secret === null)
    return 'expected listen, proxyHeader or secretFile, to identify callers';
  return undefined;
}

function readListen(source: Settings) {
  const text = source.match('listen', LISTEN, 'a host and a port, such as 0.0.0.0:8443');
  const [, ipv6, host, port] = LISTEN.exec(text) ?? [];
  if (Number(port) > 65_535) source.refuse('listen', 'a port up to 65535');
  return { host: ipv6 ?? host ?? '', port: Number(port), ...readCertificate(source) };
}

function readPayouts(source: Settings, { payouts }: BankProfile) {
  const kind = source.choice('kind', PAYOUT_KINDS, payouts?.kind);
  const url = urlIn(source, 'url', payouts?.kind === kind ? payouts.url : null);
  if (kind === 'inter') return source.end({ kind, url });
  return source.end({
    kind,
    url,
    /** The PIX key that payouts are paid from. */
    payingKey: keyIn(source, 'payingKey'),
    /** Base URL of key look-ups; null if the provider has none. */
    lookUpUrl: source.has('lookUpUrl') ? source.url('lookUpUrl') : null,
  });
}

function keyIn(source: Settings, name: string): string {
  return source.match(name, /^[!-~]{1,77}$/, 'a PIX key: at most 77 characters, as the directory has it');
}
