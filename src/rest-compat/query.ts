/** Reads the query of a `/v2` request: lexical checks before any conversion, every bad parameter named (C-12, C-13). */
import type { Named, Violations } from '../resolvers/check-filter.ts';

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
  const shown = name.slice(0, SHOWN_LENGTH_MAX).toWellFormed();
  if (policy.strictQuery) {
    const nearest = nearestName(name, known);
    const others = known.length > 0 ? `known are ${known.join(', ')}` : 'it takes none';
    const hint = nearest ? `; did you mean ${nearest}?` : `; ${others}`;
    violations.add({ parameter: shown, message: `is not a parameter of this path${hint}` });
  } else {
    const encoded = encodeURIComponent(shown);
    // Callers and proxies take only so much of a header.
    if (ignored.length < IGNORED_MAX && !ignored.includes(encoded)) ignored.push(encoded);
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The known name that takes the fewest changes to get to, when they are few. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** Levenshtein distance, one row at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      next[j] = Math.min(
        (next[j - 1] as number) + 1,
        (row[j] as number) + 1,
        (row[j - 1] as number) + change,
      );
    }
    row = next;
  }
  return row[right.length] as number;
}
