/** Reads the query of a `/v2` request. Values are checked as text before any conversion; all bad parameters are reported (C-12, C-13). */
import { nearestName } from '../base/nearest-name.ts';
import type { Named, Violations } from '../resolvers/checks/check-filter.ts';

/** How strictly queries are read. The defaults are those of the contract. */
export interface QueryPolicy {
  /** `limit` above the maximum: served as the maximum, or refused (C-12). */
  readonly limitOverflow: 'clamp' | 'reject';
  /** Whether an unknown parameter is refused instead of ignored (C-13). */
  readonly strictQuery: boolean;
}

/** A parsed query. */
export interface Query {
  /** @returns the parameter, or undefined when it was not given. */
  readonly get: (name: string) => Named | undefined;
  /** Unknown parameters, percent-encoded. */
  readonly ignored: readonly string[];
}

const LIMIT_DEFAULT = 20;
/** Largest page (`service.md` 8). */
export const LIMIT_MAX = 100;
/** How many unknown names are reported, and how many characters of each. */
const IGNORED_MAX = 20;
const SHOWN_LENGTH_MAX = 40;
const INTEGER = /^(0|[1-9]\d*)$/;

/**
 * @param search - the part of the request target after `?`.
 * @param known - parameters of the route.
 * @param violations - collects what is wrong.
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

/** @returns the requested page. A value that is not an integer within the bounds is reported (C-12). */
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

/** @returns the integer. A value that is not an integer within the bounds is reported (C-12). */
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

/** Handles an unknown parameter: ignored and listed in a header, or refused with the nearest known name (C-13). */
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
    // Clients and proxies limit the size of headers.
    if (ignored.length < IGNORED_MAX && !ignored.includes(encoded)) ignored.push(encoded);
  }
}

/** @returns a name from the caller, shortened for the answer. */
export function shownName(name: string): string {
  return name.slice(0, SHOWN_LENGTH_MAX).toWellFormed();
}

/** @returns a suggestion of the nearest known name, to be appended to the message. */
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
