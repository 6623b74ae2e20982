/** Scalars and enums as JSON text: the output of `JSON.stringify` for a serialised value, as bytes of UTF-8. */
import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { quotedUtf8 } from '../base/text/quoted.ts';
import { utf8Text } from '../base/text/utf8-text.ts';

/** Writes a value that is not null. */
export type LeafText = (value: unknown) => string;

/** @returns whether the type gives texts back as they are. */
export function isOfTexts(type: GraphQLLeafType): boolean {
  return type === GraphQLString || type === GraphQLID || type.serialize === String;
}

/** @returns a function that writes values of this type; it throws the errors of the type. */
export function leafText(type: GraphQLLeafType): LeafText {
  const other: LeafText = (value) => {
    if (value instanceof Error) throw value;
    const serialized: unknown = type.serialize(value);
    if (serialized == null) {
      throw new Error(
        `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
      );
    }
    return typeof serialized === 'string' ? quotedUtf8(serialized) : utf8Text(JSON.stringify(serialized));
  };
  if (isOfTexts(type)) return (value) => (typeof value === 'string' ? quotedUtf8(value) : other(value));
  // GraphQL's own types do the same.
  if (type === GraphQLInt)
    return (value) => (typeof value === 'number' && (value | 0) === value ? `${value}` : other(value));
  if (type === GraphQLBoolean)
    return (value) => (value === true ? 'true' : value === false ? 'false' : other(value));
  return isEnumType(type) ? remembered(other) : other;
}

/** An enum has as many texts as values. */
function remembered(text: LeafText): LeafText {
  const texts = new Map<unknown, string>();
  return (value) => {
    let found = texts.get(value);
    if (found === undefined) {
      found = text(value);
      texts.set(value, found);
    }
    return found;
  };
}
