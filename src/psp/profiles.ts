/** Differences of banks from API Pix as published by the Central Bank (decision 0089). */

/** Interface of a bank. */
export interface PspProfile {
  /** Path of the token request; null in the members below accepts any form. */
  readonly tokenPath: string;
  readonly tokenBy: 'basic' | 'form' | null;
  readonly tokenFormat: 'form' | 'json' | null;
  /** Whether the token request has `grant_type` in its query instead of its body. */
  readonly isGrantInQuery: boolean;
  /** Whether the certificate alone authenticates the client; a request with a secret is then refused. */
  readonly isSecretless: boolean;
  /**
   * Whether a token request names scopes; if not, tokens have all scopes, and a request that names some is refused.
   */
  readonly hasScopes: boolean;
  /** Paths of the resources of API Pix. */
  readonly paths: Readonly<Record<'cob' | 'cobPatch' | 'pix' | 'webhook', string>>;
  /** Header fields and query members that every call must have; the value `clientId` stands for the client's id. */
  readonly headers: readonly string[];
  readonly query: readonly string[];
  /** Status of a successful creation. */
  readonly created: 200 | 201;
  /** Error types: those of API Pix, or the bank's own. */
  readonly errors: 'standard' | 'own';
  /** Whether times in queries may have fractions of seconds. */
  readonly hasFractions: boolean;
  /** Name of the member with the code in a charge. */
  readonly codeName: 'pixCopiaECola' | 'brcode';
  /** Whether a callback URL is tested before it is registered. */
  readonly probesCallbacks: boolean;
  readonly payouts: 'efi' | 'inter' | null;
}

const V2 = '/v2';

/** API Pix, with the calls of Efí for functions that API Pix lacks. */
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
/** Names of all profiles. */
export const PSP_PROFILE_NAMES = Object.keys(PSP_PROFILES) as readonly PspProfileName[];

function below(base: string): PspProfile['paths'] {
  return { cob: `${base}/cob`, cobPatch: `${base}/cob`, pix: `${base}/pix`, webhook: `${base}/webhook` };
}
