/** Members of bodies: their names, their kinds, and their descriptions in OpenAPI. */
import { snakeCase } from '../base/text/snake-case.ts';
import type { Member, Members } from '../resolvers/checks/creation-members.ts';
import { AMOUNT_LENGTH_MAX, URL_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { BodyMember, BodyShape } from './input.ts';

/** @returns the names of a list's members in a body, by the names that resolvers use. */
export function namesOf<List extends Members>(list: List): { readonly [Name in keyof List]: string } {
  return Object.fromEntries(
    Object.entries(list).map(([name, { wire }]) => [name, wire ?? snakeCase(name)]),
  ) as { readonly [Name in keyof List]: string };
}

/** @returns the shape of a body with a list. */
export function shapeOf(list: Members): BodyShape {
  return Object.fromEntries(
    Object.entries(list).map(([name, member]) => [member.wire ?? snakeCase(name), memberOf(member)]),
  );
}

/** @returns a member that is a text. */
export function text(
  description: string,
  more: Readonly<Record<string, unknown>> & { readonly example?: string | undefined } = {},
): BodyMember {
  const { example, ...schema } = more;
  return { kind: 'text', schema: { type: 'string', description, ...schema }, example };
}

/** @returns a member that is a decimal number. */
export function amount(description: string, example?: string | undefined): BodyMember {
  return {
    kind: 'number',
    schema: { type: ['number', 'string'], maxLength: AMOUNT_LENGTH_MAX, description },
    example,
  };
}

/** @returns a member that is a whole number. */
export function whole(
  description: string,
  bounds: Readonly<Record<'minimum' | 'maximum', number>> & { readonly default?: number },
): BodyMember {
  return { kind: 'number', schema: { type: ['integer', 'string'], description, ...bounds } };
}

/** @returns a member that is a list of texts. */
export function texts(
  description: string,
  { example, of = {}, ...schema }: { example?: readonly string[]; of?: object; maxItems: number },
): BodyMember {
  return {
    kind: 'list',
    schema: { type: 'array', description, ...schema, items: { type: 'string', ...of } },
    example,
  };
}

/** @returns a member that is true or false. */
export function flag(description: string): BodyMember {
  return { kind: 'flag', schema: { type: 'boolean', description } };
}

function memberOf(member: Member): BodyMember {
  const { doc, example } = member;
  switch (member.is) {
    case 'amount':
      return amount(doc, example);
    case 'seconds':
      return { kind: 'number', schema: { type: ['integer', 'string'], description: doc }, example };
    case 'words':
      return text(doc, { example, minLength: 1, maxLength: member.maxLength });
    case 'url':
      return text(doc, { example, format: 'uri', maxLength: URL_LENGTH_MAX });
    case 'choice':
      return text(doc, { example, enum: member.of, ...(member.default && { default: member.default }) });
    case 'tax_id':
      return text(doc, { example });
    case 'text':
      return text(doc, { example, ...(member.maxLength && { maxLength: member.maxLength }) });
  }
}
