/**
 * Reads the JSON body of a `/v2` request; numbers keep their text. Members with a wrong type, unknown members and repeated
 * members are reported (C-24, C-50), because a misspelt member must not move money another way.
 */
import { GatewayError } from '../base/errors.ts';
import {
  type ExactJson,
  isExactObject,
  NumberToken,
  parseExactJson,
  repeatedMembers,
} from '../base/exact-json.ts';
import { expandNumber } from '../base/money.ts';
import type { Named, Violations } from '../resolvers/checks/check-filter.ts';
import { hintOf, shownName } from './query.ts';

/** Type of a member: text, or a number, which may also be given as text. */
export type MemberKind = 'text' | 'number';

/** The members that a body may have, by name. */
export type BodyShape = Readonly<Record<string, MemberKind>>;

/** A parsed body. */
export interface Body {
  /**
   * @returns the member, or undefined when it was not given, is null, or is an empty text (C-5); one of a wrong type,
   *   which is noted, as an empty text: it is not missing.
   */
  readonly get: (name: string) => Named | undefined;
}

/**
 * @param text - the raw body; an empty one counts as an empty object.
 * @param violations - collects what is wrong.
 * @throws {GatewayError} `BAD_REQUEST` when the text is not a JSON object.
 */
export function parseBody(text: string, shape: BodyShape, violations: Violations): Body {
  const members = readObject(text);
  const values = new Map<string, Named>();
  for (const name of repeatedMembers(text))
    violations.add({ parameter: shownName(name), message: 'must be given once' });
  for (const [name, value] of Object.entries(members)) {
    const kind = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (kind === undefined)
      violations.add({
        parameter: shownName(name),
        message: `is not a member of this body${hintOf(name, Object.keys(shape))}`,
      });
    else if (value !== null && value !== '') {
      const given = textOf(value, kind);
      if (given === undefined) violations.add({ parameter: name, message: FORMS[kind] });
      values.set(name, { name, value: given ?? '' });
    }
  }
  return { get: (name) => values.get(name) };
}

const FORMS = {
  text: 'must be a string',
  number: 'must be a number, or a decimal number in a string',
} as const satisfies Record<MemberKind, string>;

function readObject(text: string): { readonly [name: string]: ExactJson } {
  if (text === '') return {};
  let value: ExactJson;
  try {
    value = parseExactJson(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'the body is not JSON');
  }
  if (!isExactObject(value)) throw new GatewayError('BAD_REQUEST', 'the body must be a JSON object');
  return value;
}

function textOf(value: ExactJson, kind: MemberKind): string | undefined {
  if (typeof value === 'string') return value;
  if (kind !== 'number' || !(value instanceof NumberToken)) return undefined;
  try {
    return expandNumber(value.text);
  } catch {
    return undefined;
  }
}
