/** Reads the query of a `/v2` request: lexical checks before any conversion, every bad parameter named (C-12, C-13). */
import { nearestName } from '../base/nearest-name.ts';
import type { Named, Violations } from '../resolvers/checks/check-filter.ts';

/** How strictly queries are read; the defaults are those of the contract. */
export interface QueryPolicy {
  /** `limit` above the maximum: served as the maximum, or refused (C-12). */
  readonly limitOverflow: 'clamp' | 'reject';
  /** Whether an unknown parameter is refused instead of ignored (C-13). */
  readonly strictQuery: boolean;
}

/** A query whose parameters are known to the route, each given once. */
export interface Query {
  /** @returns the parameter, or undefined when it was not given. */
  readonly get: (name: string) => Named | undefined;
  /** Names that were given but mean nothing here, percent-encoded. */
  readonly ignored: readonly string[];
}

const LIMIT_DEFAULT = 20;
/** Largest page (`service.md` 8). */
export const LIMIT_MAX = 100;
/** Of names that mean nothing here: how many are named, and how much of each. */
const IGNORED_MAX = 20;
const SHOWN_LENGTH_MAX = 40;
const INTEGER = /^(0|[1-9]\d*)$/;

/**
 * @param search - the part of the request target after `?`.
 * @param known - names that the route takes.
 * @param violations - where what is wrong is noted.
 */
export function parseQuery(
  search: string,
  known: readonly string[],
  policy: QueryPolicy,
  violations: Violations,
): Query {
  const values = new Map<string, string>();
  const ignored: string[] = [];
  for (const part of search === '' ? [] : search.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const name = decode(rawName);
    const value = decode(equals < 0 ? '' : part.slice(equals + 1));
    if (name === undefined || !known.includes(name)) {
      noteUnknown(name ?? rawName, known, policy, violations, ignored);
    } else if (value === undefined) {
      violations.add({ parameter: name, message: 'must be percent-encoded UTF-8' });
    } else if (values.has(name)) {
      violations.add({ parameter: name, message: 'must be given once' });
    } else {
      values.set(name, value);
    }
  }
  return {
    get: (name) => {
      const value = values.get(name);
      return value === undefined ? undefined : { name, value };
    },
    ignored,
  };
}

/** @returns the page that the query asks for; anything that is not a plain integer in bounds is noted (C-12). */
export function parsePage(
  query: Query,
  policy: QueryPolicy,
  violations: Violations,
): { limit: number; offset: number } {
  const limit = parseInteger(
    query.get('limit'),
    1,
    policy.limitOverflow === 'reject' ? LIMIT_MAX : undefined,
    violations,
  );
  const offset = parseInteger(query.get('offset'), 0, Number.MAX_SAFE_INTEGER, violations);
  return { limit: Math.min(limit ?? LIMIT_DEFAULT, LIMIT_MAX), offset: offset ?? 0 };
}

/** @returns a plain integer within the bounds; anything else is noted (C-12). */
export function parseInteger(
  given: Named | undefined,
  min: number,
  max: number | undefined,
  violations: Violations,
): number | undefined {
  if (!given) return undefined;
  const value = Number(given.value);
  if (INTEGER.test(given.value) && value >= min && (max === undefined || value <= max)) return value;
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return violations.add({ parameter: given.name, message: `must be an integer ${bounds}` });
}

/** Notes a name that means nothing here: ignored and named, or refused with the nearest known name (C-13). */
export function noteUnknown(
  name: string,
  known: readonly string[],
  policy: QueryPolicy,
  violations: Violations,
  ignored: string[],
): void {
  const shown = shownName(name);
  if (policy.strictQuery) {
    violations.add({ parameter: shown, message: `is not a parameter of this path${hintOf(name, known)}` });
  } else {
    const encoded = encodeURIComponent(shown);
    // Callers and proxies take only so much of a header.
    if (ignored.length < IGNORED_MAX && !ignored.includes(encoded)) ignored.push(encoded);
  }
}

/** @returns a name that a caller wrote, as much of it as an answer shows. */
export function shownName(name: string): string {
  return name.slice(0, SHOWN_LENGTH_MAX).toWellFormed();
}

/** @returns what a caller may have meant by a name that is not known, to follow the refusal. */
export function hintOf(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest) return `; did you mean ${nearest}?`;
  return known.length > 0 ? `; accepted are ${known.join(', ')}` : '; none is accepted';
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
