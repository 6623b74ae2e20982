/** The settings of the process, read from its environment here and nowhere else; docs/operations.md lists them. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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
  readonly databaseConnections: number;
  readonly logLevel: string;
  readonly limitOverflow: 'clamp' | 'reject';
  readonly strictQuery: boolean;
  readonly exactIntegers: boolean;
  /** Reads of one key; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const RATE_DEFAULT: RateLimit = { perSecond: 1_000, burst: 2_000 };

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
    databaseConnections: integer(env, 'DATABASE_CONNECTIONS', 10, 2, 1_000),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    limitOverflow: oneOf(env, 'LIMIT_OVERFLOW', ['clamp', 'reject'], 'clamp') as Config['limitOverflow'],
    strictQuery: oneOf(env, 'STRICT_QUERY', ['0', '1'], '0') === '1',
    exactIntegers: oneOf(env, 'LEGACY_OFFRAMP_NUMBERS', ['rounded', 'exact'], 'rounded') === 'exact',
    rateLimit: rateLimit(env.RATE_LIMIT),
    graphiql: oneOf(env, 'GRAPHIQL', ['on', 'off'], 'on') === 'on',
  };
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

function oneOf(env: Environment, name: string, accepted: readonly string[], fallback: string): string {
  const text = env[name];
  if (!text) return fallback;
  if (!accepted.includes(text))
    throw new ConfigError(`${name}: expected ${accepted.join(' or ')}, got ${text}`);
  return text;
}

function rateLimit(text: string | undefined): RateLimit | null {
  if (!text) return RATE_DEFAULT;
  if (text === 'off') return null;
  const parts = /^(\d{1,7})(?:\/(\d{1,7}))?$/.exec(text);
  const perSecond = Number(parts?.[1] ?? 0);
  const burst = Number(parts?.[2] ?? perSecond * 2);
  if (perSecond < 1 || burst < 1)
    throw new ConfigError(
      `RATE_LIMIT: expected off, or requests per second and burst such as 1000/2000, got ${text}`,
    );
  return { perSecond, burst };
}

function databaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new ConfigError('DATABASE_URL: expected postgres://user:password@host:port/database');
  }
  return text;
}

function homeFolder(text: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return isAbsolute(text) ? text : resolve(text);
}
