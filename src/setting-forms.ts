/** Forms of single settings: each function gives the value of a text, or undefined (of a check, false) for one that is not accepted. */
import pg from 'pg';

/** @returns a whole number within its bounds. */
export function within(text: string, min: number, max: number): number | undefined {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;
}

/** @returns bytes. */
export function gigabytes(text: string): number | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 ? Number(text) * 1e9 : undefined;
}

/** @returns the URL without a slash at its end. */
export function httpUrl(text: string): string | undefined {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** Header fields as OpenTelemetry writes them: `api-key=abc,tenant=a%20b`. */
export function headerFields(text: string): Readonly<Record<string, string>> | undefined {
  const fields = text.split(',').map((each) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([^\s]*)\s*$/.exec(each));
  if (!fields.every((field) => field && isDecodable(field[2] as string))) return undefined;
  return Object.fromEntries(fields.map((field) => [field?.[1], decodeURIComponent(field?.[2] as string)]));
}

/** @returns a share from 0 to 1. */
export function shareOf(text: string): number | undefined {
  return /^(0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1 ? Number(text) : undefined;
}

/** @returns milliseconds after midnight. */
export function timeOfDay(text: string): number | null | undefined {
  if (text === 'off') return null;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * A URL may contain any %XX, but the driver accepts only those that can be decoded. The driver itself decides,
 * because it also accepts a lone %.
 */
export function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  try {
    return new pg.Client({ connectionString: text }) !== undefined;
  } catch (error) {
    // Anything else, such as a certificate that is missing, is said when it connects.
    return !(error instanceof URIError);
  }
}

/** A database of Redis is a number. */
export function isRedisUrl(text: string): boolean {
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
