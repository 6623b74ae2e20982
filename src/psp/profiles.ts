/** Behaviour of banks, as far as it differs from API Pix as the Central Bank publishes it (decision 0089). */

/** Form in which the PSP speaks. */
export interface PspProfile {
  /** Path of the token, and the form of the request for it; null: any. */
  readonly tokenPath: string;
  readonly tokenBy: 'basic' | 'form' | null;
  readonly tokenFormat: 'form' | 'json' | null;
  /** Whether the request has `grant_type` in its query, and not in its body. */
  readonly isGrantInQuery: boolean;
  /** Whether the certificate alone proves the client: its secret is refused. */
  readonly isSecretless: boolean;
  /** Whether a request names scopes; otherwise a token is for everything, and a request that names some is refused. */
  readonly hasScopes: boolean;
  /** Paths of the resources of API Pix. */
  readonly paths: Readonly<Record<'cob' | 'cobPatch' | 'pix' | 'webhook', string>>;
  /** Header fields and query members without which a call is refused; a value of `clientId` is the id of the client. */
  readonly headers: readonly string[];
  readonly query: readonly string[];
  /** Status of something that was made. */
  readonly created: 200 | 201;
  /** Whether refusals have the types of API Pix, or words of the bank's own. */
  readonly errors: 'standard' | 'own';
  /** Whether times of queries may have fractions of seconds. */
  readonly hasFractions: boolean;
  /** Name of the code in a charge. */
  readonly codeName: 'pixCopiaECola' | 'brcode';
  /** Whether an address of callbacks is tried before it is registered. */
  readonly probesCallbacks: boolean;
  readonly payouts: 'efi' | 'inter' | null;
}

const V2 = '/v2';

/** API Pix, with the calls of Efí for what it lacks. */
export const STANDARD: PspProfile = {
  tokenPath: '/oauth/token',
  tokenBy: null,
  tokenFormat: null,
  isGrantInQuery: false,
  isSecretless: false,
  hasScopes: true,
  paths: below(V2),
  headers: [],
  query: [],
  created: 201,
  errors: 'standard',
  hasFractions: true,
  codeName: 'pixCopiaECola',
  probesCallbacks: true,
  payouts: 'efi',
};

const BANK: PspProfile = { ...STANDARD, probesCallbacks: false, payouts: null, tokenFormat: 'form' };

/** Profiles by name. */
export const PSP_PROFILES = {
  standard: STANDARD,
  bb: {
    ...BANK,
    tokenBy: 'basic',
    paths: below('/pix/v2'),
    query: ['gw-dev-app-key'],
    created: 200,
    errors: 'own',
  },
  bradesco: { ...BANK, tokenPath: '/auth/server/oauth/token', tokenBy: 'basic', hasScopes: false },
  c6: { ...BANK, tokenPath: '/v1/auth', tokenBy: 'basic', hasScopes: false, paths: below('/v2/pix') },
  efi: { ...BANK, tokenBy: 'basic', tokenFormat: 'json', probesCallbacks: true, payouts: 'efi' },
  inter: {
    ...BANK,
    tokenPath: '/oauth/v2/token',
    tokenBy: 'form',
    paths: below('/pix/v2'),
    headers: ['x-conta-corrente'],
    payouts: 'inter',
  },
  itau: {
    ...BANK,
    tokenPath: '/as/token.oauth2',
    tokenBy: 'form',
    hasScopes: false,
    paths: below('/pix_recebimentos/v2'),
    headers: ['x-correlationid'],
  },
  santander: {
    ...BANK,
    tokenBy: 'form',
    isGrantInQuery: true,
    hasScopes: false,
    paths: { ...below('/api/v1'), cobPatch: '/api/v2/cob' },
    hasFractions: false,
  },
  sicoob: {
    ...BANK,
    tokenPath: '/auth/realms/cooperado/protocol/openid-connect/token',
    tokenBy: 'form',
    isSecretless: true,
    paths: below('/pix/api/v2'),
    headers: ['client_id'],
    codeName: 'brcode',
  },
  sicredi: {
    ...BANK,
    tokenBy: 'basic',
    paths: { ...below('/api/v2'), cob: '/api/v3/cob', cobPatch: '/api/v3/cob' },
    created: 200,
  },
} as const satisfies Readonly<Record<string, PspProfile>>;
/** Name of a profile. */
export type PspProfileName = keyof typeof PSP_PROFILES;
/** All of them. */
export const PSP_PROFILE_NAMES = Object.keys(PSP_PROFILES) as readonly PspProfileName[];

function below(base: string): PspProfile['paths'] {
  return { cob: `${base}/cob`, cobPatch: `${base}/cob`, pix: `${base}/pix`, webhook: `${base}/webhook` };
}
