/**
 * Reads query and JSON body of a `/v2` request. Values are checked as text before any conversion, numbers of a body
 * keep their digits, and all errors are reported together (C-12, C-13). Members with a wrong type, unknown members and
 * repeated ones are refused (C-24, C-50), because a misspelt member must not change where money goes.
 */

import { GatewayError } from '../base/errors/errors.ts';
import type { Named, Violations } from '../base/errors/violations.ts';
import { checkSize } from '../base/input/input-bounds.ts';
import { expandNumber } from '../base/money/money.ts';
import {
  type ExactJson,
  isExactObject,
  NumberToken,
  parseExactJson,
  repeatedMembers,
} from '../base/text/exact-json.ts';
import { nearestName } from '../base/text/nearest-name.ts';
import type { NamedList } from '../resolvers/checks/check-event-names.ts';

/** Options of reading queries. The defaults are those of the contract. */
export interface QueryPolicy {
  /** Treatment of a `limit` above the maximum: served as the maximum, or refused (C-12). */
  readonly limitOverflow: 'clamp' | 'reject';
  /** Whether an unknown parameter is refused instead of ignored (C-13). */
  readonly strictQuery: boolean;
}

/** A parsed query. */
export interface Query {
  /** @returns the parameter, or undefined if omitted. */
  readonly get: (name: string) => Named | undefined;
  /** Unknown parameters, percent-encoded. */
  readonly ignored: readonly string[];
}

const LIMIT_DEFAULT = 20;
/** Largest page (`service.md` 8). */
export const LIMIT_MAX = 100;
/** Maximum number of unknown names in a report, and maximum length of each. */
const IGNORED_MAX = 20;
const SHOWN_LENGTH_MAX = 40;
const INTEGER = /^(0|[1-9]\d*)$/;

/**
 * @param search - the part of the request target after `?`.
 * @param known - parameters of the route.
 * @param violations - collects violations.
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
  text: Named | undefined,
  min: number,
  max: number | undefined,
  violations: Violations,
): number | undefined {
  if (!text) return undefined;
  const value = Number(text.value);
  if (INTEGER.test(text.value) && value >= min && (max === undefined || value <= max)) return value;
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return violations.add({ parameter: text.name, message: `must be an integer ${bounds}` });
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
    if (violations.isFull) return;
    violations.add({ parameter: shown, message: `is not a parameter of this path${hintOf(name, known)}` });
  } else {
    const encoded = encodeURIComponent(shown);
    // The limit exists because clients and proxies limit the size of headers.
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

/** Type of a member: text, a number, which may also be given as text, a list of texts, or true or false. */
export type MemberKind = 'text' | 'number' | 'list' | 'flag';

/** A member that a body may have. */
export interface BodyMember {
  readonly kind: MemberKind;
  /** Its schema in OpenAPI. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string | readonly string[] | undefined;
}

/** The members that a body may have, by name. */
export type BodyShape = Readonly<Record<string, BodyMember>>;

/** A parsed body. */
export interface Body {
  /**
   * @returns the member; undefined when it is missing, null, or an empty text (C-5). A member of a wrong type is
   * collected as a violation and returned as an empty text, because it is not missing.
   */
  readonly get: (name: string) => Named | undefined;
  /** @returns the texts of a list; undefined if omitted, or of a wrong type, which is collected as a violation. */
  readonly list: (name: string) => NamedList | undefined;
  /** @returns true or false; undefined as for a list. */
  readonly flag: (name: string) => boolean | undefined;
  /** @returns whether the member is null, or an empty text. */
  readonly isCleared: (name: string) => boolean;
}

/**
 * @param text - the raw body; an empty one counts as an empty object.
 * @param violations - collects violations.
 * @throws {GatewayError} `BAD_REQUEST` when the text is not a JSON object, or larger than `INPUT_BOUNDS`.
 */
export function parseBody(text: string, shape: BodyShape, violations: Violations): Body {
  const members = readObject(text);
  const values = new Map<string, Named>();
  const lists = new Map<string, NamedList>();
  for (const name of repeatedMembers(text))
    violations.add({ parameter: shownName(name), message: 'must be given once' });
  for (const [name, value] of Object.entries(members)) {
    const kind = Object.hasOwn(shape, name) ? shape[name]?.kind : undefined;
    if (kind === undefined)
      violations.add({
        parameter: shownName(name),
        message: `is not a member of this body${hintOf(name, Object.keys(shape))}`,
      });
    else if (value !== null && value !== '') {
      const list = kind === 'list' ? textsOf(value) : undefined;
      const text = kind === 'list' ? list && '' : textOf(value, kind);
      if (text === undefined) violations.add({ parameter: name, message: FORMS[kind] });
      values.set(name, { name, value: text ?? '' });
      if (list) lists.set(name, { name, values: list });
    }
  }
  return {
    get: (name) => values.get(name),
    list: (name) => lists.get(name),
    flag: (name) => FLAGS.get(values.get(name)?.value ?? ''),
    isCleared: (name) => Object.hasOwn(members, name) && !values.has(name),
  };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const FORMS = {
  text: 'must be a string',
  number: 'must be a number, or a decimal number in a string',
  list: 'must be a list of strings',
  flag: 'must be true or false',
} as const satisfies Record<MemberKind, string>;

function readObject(text: string): { readonly [name: string]: ExactJson } {
  if (text === '') return {};
  checkSize(text);
  let value: ExactJson;
  try {
    value = parseExactJson(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not JSON');
  }
  if (!isExactObject(value)) throw new GatewayError('BAD_REQUEST', 'the body must be a JSON object');
  return value;
}

function textsOf(value: ExactJson): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

function textOf(value: ExactJson, kind: MemberKind): string | undefined {
  if (kind === 'flag') return typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value === 'string') return value;
  if (kind !== 'number' || !(value instanceof NumberToken)) return undefined;
  try {
    return expandNumber(value.text);
  } catch {
    return undefined;
  }
}
