/**
 * Default settings for banks with API Pix, each with its own tokens, paths and members. The defaults come from public
 * clients of these banks (decision 0089); no profile was run against its bank.
 */

/** Resources of API Pix whose paths may differ; `cobPatch` is a change of a charge. */
export const RESOURCES = ['cob', 'cobPatch', 'pix', 'webhook'] as const;
/** A member of RESOURCES. */
export type Resource = (typeof RESOURCES)[number];

/** Location of client id and secret in a token request. */
export const CREDENTIAL_LOCATIONS = ['basic', 'form'] as const;
/** Body of a token request. */
export const TOKEN_FORMATS = ['form', 'json'] as const;
/** Precision of times in queries: milliseconds or seconds. */
export const TIME_FORMS = ['ms', 's'] as const;
/** Error types: those of API Pix, or the bank's own. */
export const ERROR_FORMS = ['standard', 'own'] as const;
/** Whether the bank adds `/pix` to the callback's URL, calls the URL itself, or adds `/pix` to a member `ignorar` of its query. */
export const CALLBACK_SUFFIXES = ['added', 'none', 'ignorar'] as const;
/** Payout APIs with an adapter. */
export const PAYOUT_KINDS = ['efi', 'inter'] as const;

/** Defaults of a bank. */
export interface BankProfile {
  /** Production URLs; null if the settings must name them. */
  readonly url: string | null;
  readonly tokenUrl: string | null;
  /** Null chooses by whether the settings have a client secret. */
  readonly tokenBy: (typeof CREDENTIAL_LOCATIONS)[number] | null;
  readonly tokenFormat: (typeof TOKEN_FORMATS)[number];
  readonly tokenQuery: Readonly<Record<string, string>>;
  /** Null means the scopes of the standard; an empty list means that the bank accepts no scopes in the request. */
  readonly scopes: readonly string[] | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Header fields and query members that the bank requires in calls, with values that only the operator knows. */
  readonly needs: { readonly headers: readonly string[]; readonly query: readonly string[] };
  readonly paths: Readonly<Partial<Record<Resource, string>>>;
  readonly times: (typeof TIME_FORMS)[number];
  readonly errors: (typeof ERROR_FORMS)[number];
  readonly callbackSuffix: (typeof CALLBACK_SUFFIXES)[number];
  /** Payout adapter and its base URL; null if the bank has no supported payout API. */
  readonly payouts: { readonly kind: (typeof PAYOUT_KINDS)[number]; readonly url: string } | null;
  /** Open questions for the bank, which no public source answers. */
  readonly open: readonly string[];
}

const NOTHING = { headers: [], query: [] } as const;

/** API Pix as the Central Bank publishes it. */
export const STANDARD: BankProfile = {
  url: null,
  tokenUrl: null,
  tokenBy: null,
  tokenFormat: 'form',
  tokenQuery: {},
  scopes: null,
  headers: {},
  needs: NOTHING,
  paths: {},
  times: 'ms',
  errors: 'standard',
  callbackSuffix: 'added',
  payouts: null,
  open: [],
};

const CALLERS = 'the certificate of its callbacks';
const NO_PAYOUTS = 'its payouts, which have no adapter here';

/** Profiles by the name that settings give them. */
export const BANK_PROFILES = {
  bb: {
    ...STANDARD,
    url: 'https://api-pix.bb.com.br/pix/v2',
    tokenUrl: 'https://oauth.bb.com.br/oauth/token',
    tokenBy: 'basic',
    needs: { headers: [], query: ['gw-dev-app-key'] },
    errors: 'own',
    open: [CALLERS, NO_PAYOUTS],
  },
  bradesco: {
    ...STANDARD,
    url: 'https://qrpix.bradesco.com.br/v2',
    tokenUrl: 'https://qrpix.bradesco.com.br/auth/server/oauth/token',
    tokenBy: 'basic',
    scopes: [],
    open: [CALLERS, NO_PAYOUTS],
  },
  c6: {
    ...STANDARD,
    url: 'https://baas-api.c6bank.info/v2/pix',
    tokenUrl: 'https://baas-api.c6bank.info/v1/auth',
    tokenBy: 'basic',
    scopes: [],
    open: [CALLERS, NO_PAYOUTS, 'the whole profile: its source is an unfinished client'],
  },
  efi: {
    ...STANDARD,
    url: 'https://pix.api.efipay.com.br/v2',
    tokenUrl: 'https://pix.api.efipay.com.br/oauth/token',
    tokenBy: 'basic',
    tokenFormat: 'json',
    payouts: { kind: 'efi', url: 'https://pix.api.efipay.com.br' },
  },
  inter: {
    ...STANDARD,
    url: 'https://cdpj.partners.bancointer.com.br/pix/v2',
    tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
    tokenBy: 'form',
    needs: { headers: ['x-conta-corrente'], query: [] },
    payouts: { kind: 'inter', url: 'https://cdpj.partners.bancointer.com.br' },
    open: [CALLERS],
  },
  itau: {
    ...STANDARD,
    url: 'https://secure.api.itau/pix_recebimentos/v2',
    tokenUrl: 'https://sts.itau.com.br/as/token.oauth2',
    tokenBy: 'form',
    scopes: [],
    headers: { 'x-correlationID': '{uuid}' },
    open: [CALLERS, NO_PAYOUTS],
  },
  santander: {
    ...STANDARD,
    url: 'https://trust-pix.santander.com.br/api',
    tokenUrl: 'https://trust-pix.santander.com.br/oauth/token',
    tokenBy: 'form',
    tokenQuery: { grant_type: 'client_credentials' },
    scopes: [],
    paths: { cob: 'v1/cob', cobPatch: 'v2/cob', pix: 'v1/pix', webhook: 'v1/webhook' },
    times: 's',
    open: [CALLERS, NO_PAYOUTS],
  },
  sicoob: {
    ...STANDARD,
    url: 'https://api.sicoob.com.br/pix/api/v2',
    tokenUrl: 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token',
    tokenBy: 'form',
    headers: { client_id: '{clientId}' },
    open: [CALLERS, NO_PAYOUTS],
  },
  sicredi: {
    ...STANDARD,
    url: 'https://api-pix.sicredi.com.br/api',
    tokenUrl: 'https://api-pix.sicredi.com.br/oauth/token',
    tokenBy: 'basic',
    paths: { cob: 'v3/cob', pix: 'v2/pix', webhook: 'v2/webhook' },
    open: [CALLERS, NO_PAYOUTS],
  },
} as const satisfies Readonly<Record<string, BankProfile>>;
/** Name of a profile. */
export type BankName = keyof typeof BANK_PROFILES;
/** All of them. */
export const BANK_NAMES = Object.keys(BANK_PROFILES) as readonly BankName[];
