/** Parses values of settings as people write them; undefined for an unaccepted text. */

/** Requests per second, and the maximum burst. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** @returns a whole number between both bounds. */
export function within(text: string, min: number, max: number): number | undefined {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;
}

/** @returns the number of bytes in a number of gigabytes. */
export function gigabytes(text: string): number | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 ? Number(text) * 1e9 : undefined;
}

/** @returns the URL without a slash at its end. */
export function httpUrl(text: string): string | undefined {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** @returns header fields from the notation of OpenTelemetry: `api-key=abc,tenant=a%20b`. */
export function headerFields(text: string): Readonly<Record<string, string>> | undefined {
  const fields = text.split(',').map((each) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([^\s]*)\s*$/.exec(each));
  if (!fields.every((field) => field && isDecodable(field[2] as string))) return undefined;
  return Object.fromEntries(fields.map((field) => [field?.[1], decodeURIComponent(field?.[2] as string)]));
}

/** @returns a share from 0 to 1. */
export function shareOf(text: string): number | undefined {
  return /^(0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1 ? Number(text) : undefined;
}

/** @returns milliseconds after midnight; null for `off`. */
export function timeOfDay(text: string): number | null | undefined {
  if (text === 'off') return null;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** @param text - such as `100/200`; without a burst, the burst is twice the rate. */
export function bucket(text: string): RateLimit | undefined {
  const parts = /^(\d{1,7})(?:\/(\d{1,7}))?$/.exec(text);
  const perSecond = Number(parts?.[1] ?? 0);
  const burst = Number(parts?.[2] ?? perSecond * 2);
  return perSecond < 1 || burst < 1 ? undefined : { perSecond, burst };
}

/** Accepted samplers of traces; the first is the default. */
export const SAMPLERS = [
  'parentbased_traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/** Default limits of a key. */
export const RATE_DEFAULT = {
  reads: { perSecond: 1_000, burst: 2_000 },
  writes: { perSecond: 100, burst: 200 },
};

/** @param text - `off`, or reads and writes such as `1000/2000,100/200`. @returns null for `off`. */
export function rateLimit(
  text: string,
): { readonly reads: RateLimit; readonly writes: RateLimit } | null | undefined {
  if (text === 'off') return null;
  const limits = text.split(',').map(bucket);
  const [reads, writes = RATE_DEFAULT.writes] = limits;
  return reads && limits.length <= 2 && !limits.includes(undefined) ? { reads, writes } : undefined;
}

/** @returns null for `off`. */
export function failureLimit(text: string): RateLimit | null | undefined {
  return text === 'off' ? null : bucket(text);
}

/** @returns whether it is a URL of Redis with a number as database. */
export function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname } = new URL(text);
  return [username, password].every(isDecodable) && /^\/?\d*$/.test(pathname);
}

/**
 * @returns the fault of a mail server and its sender, which must both be set or both be missing; undefined without one.
 * The message does not contain the URL.
 */
export function mailFault(url: string | undefined, from: string | undefined): string | undefined {
  if (!url && !from) return undefined;
  if (!url || !from) return 'SMTP_URL (or SMTP_URL_FILE) and MAIL_FROM: expected both, or none';
  if (!isSmtpUrl(url))
    return 'SMTP_URL: expected smtp://user:password@host:587 or smtps://…, where each %XX is UTF-8';
  if (isSender(from)) return undefined;
  return `MAIL_FROM: expected an address such as gateway@example.com, or Name <address>, got ${from}`;
}

function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, search, username, password } = new URL(text);
  return (
    hostname !== '' && /^\/?$/.test(pathname) && search === '' && [username, password].every(isDecodable)
  );
}

/** One address, with or without a name before it. */
function isSender(text: string): boolean {
  return /^([^<>@,;"\r\n]{1,80} <[^\s<>@,;"]+@[^\s<>@,;"]+>|[^\s<>@,;"]+@[^\s<>@,;"]+)$/.test(text);
}

/** @returns whether each %XX of the text is UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
