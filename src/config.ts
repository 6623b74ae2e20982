/** The settings of the process, read from its environment here and nowhere else; docs/operations.md lists them. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import pg from 'pg';
import { isCidr } from './base/cidr.ts';

/** A setting that is not accepted; the message names it and the accepted form. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Requests per second and how many may come at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** All settings, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** URL under which the gateway is reached, without a slash at its end. */
  readonly publicUrl: string;
  /** Folder of the embedded database and of sandbox.json. */
  readonly home: string;
  /** A PostgreSQL server to use instead of the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Schema of the database that holds the tables. */
  readonly databaseSchema: string;
  readonly databaseConnections: number;
  /** Where processes tell each other what moved; undefined for a process alone. */
  readonly notifyUrl: string | undefined;
  readonly logLevel: string;
  /** What this process does: answer requests, work on jobs and webhooks, or both. */
  readonly role: 'all' | 'serve' | 'work';
  readonly limitOverflow: 'clamp' | 'reject';
  readonly strictQuery: boolean;
  readonly exactIntegers: boolean;
  /** Reads and writes of one key (C-53); null for no limit. */
  readonly rateLimit: { readonly reads: RateLimit; readonly writes: RateLimit } | null;
  /** Failed authentications of one client address; null for no limit. */
  readonly authFailureLimit: RateLimit | null;
  /** Networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** What connections may take: most at once, and most milliseconds until header fields and whole request have come. */
  readonly connections: {
    readonly total: number;
    readonly perAddress: number;
    readonly headersMs: number;
    readonly requestMs: number;
  };
  /** How many days records are kept; null for ever. */
  readonly retention: {
    readonly events: number | null;
    readonly deliveries: number | null;
    readonly attempts: number | null;
    readonly idempotencyKeys: number | null;
    readonly quotes: number | null;
    readonly railEvents: number | null;
    readonly depositSlots: number | null;
    readonly sandboxOrders: number | null;
    /** Of the request log; 0: nothing is recorded. */
    readonly requests: number | null;
    /** Sessions of people, and links that let them in. */
    readonly sessions: number | null;
    readonly links: number | null;
  };
  /** A provider by which people sign in (OpenID Connect); null for none. */
  readonly oidc: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
  } | null;
  /** JSON file that says which rails there are; undefined for none. */
  readonly railsFile: string | undefined;
  /** So long after midnight in Brasília the day before is reconciled; null: never by itself. */
  readonly reconcileAtMs: number | null;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
  /** Folder or JSON file of persisted documents; undefined for none. */
  readonly graphqlDocuments: string | undefined;
  /** Whether only persisted documents are executed. */
  readonly graphqlOnlyDocuments: boolean;
  /** Most memory of the process for answers that are written again while nothing changes; 0 keeps none. Unit: bytes. */
  readonly answersBytesMax: number;
  /** Most event streams of one key in the process. */
  readonly eventStreamsMax: number;
  /** Whether a start makes a sandbox: account, rates, keys and `sandbox.json`. Always with the embedded database. */
  readonly hasSandbox: boolean;
  /** Whether the sandbox pays by itself. */
  readonly sandboxAuto: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const RATE_DEFAULT = { reads: { perSecond: 1_000, burst: 2_000 }, writes: { perSecond: 100, burst: 200 } };

/**
 * @param env - the environment of the process.
 * @throws {ConfigError} on the first setting that is not accepted.
 */
export function readConfig(env: Environment): Config {
  const host = env.HOST || '127.0.0.1';
  const port = integer(env, 'PORT', 4000, 0, 65_535);
  return {
    host,
    port,
    publicUrl: (env.PUBLIC_URL || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
      /\/+$/,
      '',
    ),
    home: homeFolder(env.CROSSRAMP_HOME || '.crossramp'),
    databaseUrl: databaseUrl(env.DATABASE_URL),
    // Its name until it had a plainer one.
    notifyUrl: notifyUrl(env.NOTIFY_URL ?? env.DOORBELL_URL) ?? databaseUrl(env.DATABASE_URL),
    databaseSchema: databaseSchema(env.DATABASE_SCHEMA),
    databaseConnections: integer(env, 'DATABASE_CONNECTIONS', 10, 2, 1_000),
    role: oneOf(env, 'ROLE', ['all', 'serve', 'work'], 'all') as Config['role'],
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    limitOverflow: oneOf(env, 'LIMIT_OVERFLOW', ['clamp', 'reject'], 'clamp') as Config['limitOverflow'],
    strictQuery: oneOf(env, 'STRICT_QUERY', ['0', '1'], '0') === '1',
    exactIntegers: oneOf(env, 'LEGACY_OFFRAMP_NUMBERS', ['rounded', 'exact'], 'rounded') === 'exact',
    rateLimit: rateLimit(env.RATE_LIMIT),
    authFailureLimit: authFailureLimit(env.AUTH_FAILURE_LIMIT),
    trustedProxies: trustedProxies(env.TRUSTED_PROXIES),
    connections: {
      total: integer(env, 'CONNECTIONS_MAX', 20_000, 1, 1_000_000),
      perAddress: integer(env, 'CONNECTIONS_PER_ADDRESS', 2_000, 1, 1_000_000),
      headersMs: 1_000 * integer(env, 'HEADERS_TIMEOUT', 10, 1, 600),
      requestMs: 1_000 * integer(env, 'REQUEST_TIMEOUT', 30, 1, 3_600),
    },
    retention: {
      events: days(env, 'RETENTION_EVENTS', 90, 7),
      deliveries: days(env, 'RETENTION_DELIVERIES', 90, 7),
      attempts: days(env, 'RETENTION_ATTEMPTS', 30, 1),
      idempotencyKeys: days(env, 'RETENTION_IDEMPOTENCY_KEYS', 1, 1),
      quotes: days(env, 'RETENTION_QUOTES', 30, 1),
      railEvents: days(env, 'RETENTION_RAIL_EVENTS', 365, 90),
      depositSlots: days(env, 'RETENTION_DEPOSIT_SLOTS', 90, 30),
      sandboxOrders: days(env, 'RETENTION_SANDBOX_ORDERS', 90, 7),
      requests: integer(env, 'REQUEST_LOG_DAYS', 7, 0, 365),
      sessions: days(env, 'RETENTION_SESSIONS', 90, 8),
      links: days(env, 'RETENTION_SESSIONS', 90, 8),
    },
    oidc: oidc(env),
    railsFile: env.RAILS_FILE ? resolve(env.RAILS_FILE) : undefined,
    reconcileAtMs: timeOfDay(env, 'RECONCILE_AT', '03:00'),
    graphiql: oneOf(env, 'GRAPHIQL', ['on', 'off'], 'on') === 'on',
    graphqlDocuments: env.GRAPHQL_DOCUMENTS ? resolve(env.GRAPHQL_DOCUMENTS) : undefined,
    graphqlOnlyDocuments: oneOf(env, 'GRAPHQL_ONLY_DOCUMENTS', ['0', '1'], '0') === '1',
    answersBytesMax: 1_048_576 * integer(env, 'ANSWERS_MAX_MB', 64, 0, 65_536),
    eventStreamsMax: integer(env, 'EVENT_STREAMS_MAX', 1_000, 1, 1_000_000),
    hasSandbox: oneOf(env, 'SANDBOX', ['0', '1'], '0') === '1' || !env.DATABASE_URL,
    sandboxAuto: oneOf(env, 'SANDBOX_AUTO', ['0', '1'], '0') === '1',
  };
}

const OIDC_NAMES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const;

/** All of them, or none. */
function oidc(env: Environment): Config['oidc'] {
  const [issuer, clientId] = OIDC_NAMES.map((name) => env[name]);
  const clientSecret = secret(env, 'OIDC_CLIENT_SECRET');
  if (!issuer && !clientId && !clientSecret) return null;
  if (!issuer || !clientId || !clientSecret)
    throw new ConfigError(
      `${OIDC_NAMES.join(', ')} and OIDC_CLIENT_SECRET (or …_FILE): expected all of them, or none`,
    );
  const isTaken =
    URL.canParse(issuer) &&
    /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(new URL(issuer).href);
  if (!isTaken) throw new ConfigError(`OIDC_ISSUER: expected an https URL, got ${issuer}`);
  return { issuer, clientId, clientSecret };
}

/** A secret itself, or the file that holds it. */
function secret(env: Environment, name: string): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return env[name];
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name}_FILE: cannot read ${path}`);
  }
}

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name}: expected an integer from ${min} to ${max}, got ${text}`);
  }
  return value;
}

/** Least: what the rest of the gateway relies on. */
function days(env: Environment, name: string, fallback: number, min: number): number | null {
  if (env[name] === 'off') return null;
  if (/^\d{1,5}$/.test(env[name] || String(fallback))) return integer(env, name, fallback, min, 36_500);
  throw new ConfigError(`${name}: expected off, or days from ${min} to 36500, got ${env[name]}`);
}

/** @returns milliseconds after midnight; null for `off`. */
function timeOfDay(env: Environment, name: string, fallback: string): number | null {
  const text = env[name] || fallback;
  if (text === 'off') return null;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined)
    throw new ConfigError(`${name}: expected off, or a time such as 03:00, got ${text}`);
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function oneOf(env: Environment, name: string, accepted: readonly string[], fallback: string): string {
  const text = env[name];
  if (!text) return fallback;
  if (!accepted.includes(text))
    throw new ConfigError(`${name}: expected ${accepted.join(' or ')}, got ${text}`);
  return text;
}

function rateLimit(text: string | undefined): Config['rateLimit'] {
  if (!text) return RATE_DEFAULT;
  if (text === 'off') return null;
  const [reads, writes = RATE_DEFAULT.writes] = text.split(',').map(bucket);
  if (reads && writes && text.split(',').length <= 2) return { reads, writes };
  throw new ConfigError(
    `RATE_LIMIT: expected off, or reads and writes per second with their bursts such as 1000/2000,100/200, got ${text}`,
  );
}

function authFailureLimit(text: string | undefined): RateLimit | null {
  if (text === 'off') return null;
  const limit = bucket(text || '2/60');
  if (limit) return limit;
  throw new ConfigError(
    `AUTH_FAILURE_LIMIT: expected off, or failures per second with their burst such as 2/60, got ${text}`,
  );
}

function trustedProxies(text: string | undefined): readonly string[] {
  const networks = (text ?? '').split(',').flatMap((each) => each.trim() || []);
  const wrong = networks.find((each) => !isCidr(each));
  if (wrong === undefined) return networks;
  throw new ConfigError(
    `TRUSTED_PROXIES: expected networks separated by commas, such as 10.0.0.0/8,2001:db8::/32, got ${wrong}`,
  );
}

function bucket(text: string): RateLimit | null {
  const parts = /^(\d{1,7})(?:\/(\d{1,7}))?$/.exec(text);
  const perSecond = Number(parts?.[1] ?? 0);
  const burst = Number(parts?.[2] ?? perSecond * 2);
  return perSecond < 1 || burst < 1 ? null : { perSecond, burst };
}

function databaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!isPostgresUrl(text)) {
    throw new ConfigError(
      'DATABASE_URL: expected postgres://user:password@host:port/database, where each %XX is UTF-8',
    );
  }
  return text;
}

/** A URL may have any %XX, but the driver takes only what can be decoded. It is asked itself, because it also takes a lone %. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  try {
    return new pg.Client({ connectionString: text }) !== undefined;
  } catch (error) {
    // Anything else, such as a certificate that is missing, is said when it connects.
    return !(error instanceof URIError);
  }
}

/** A database of Redis is a number. */
function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname } = new URL(text);
  return [username, password].every(isDecodable) && /^\/?\d*$/.test(pathname);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

function databaseSchema(text: string | undefined): string {
  if (!text) return 'public';
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(text) || text.startsWith('pg_')) {
    throw new ConfigError(
      `DATABASE_SCHEMA: expected 1 to 40 of a-z, 0-9 and _, not beginning with a digit or pg_, got ${text}`,
    );
  }
  return text;
}

function notifyUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!isPostgresUrl(text) && !isRedisUrl(text))
    throw new ConfigError('NOTIFY_URL: expected postgres://… or redis://host:port, where each %XX is UTF-8');
  return text;
}

function homeFolder(text: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return isAbsolute(text) ? text : resolve(text);
}
