/** What `/v2` makes of the lists of plain members: names in snake_case, shapes of bodies, and schemas of OpenAPI. */
import { snakeCase } from '../base/snake-case.ts';
import type { PlainMembers } from '../resolvers/checks/plain-members.ts';
import type { BodyShape } from './input.ts';

/** @returns the names of the body, by those that resolvers use. */
export function plainNames<Members extends PlainMembers>(
  members: Members,
): { readonly [Name in keyof Members]: string } {
  return Object.fromEntries(Object.keys(members).map((name) => [name, snakeCase(name)])) as {
    readonly [Name in keyof Members]: string;
  };
}

/** @returns the shape of their part of the body. */
export function plainShape(members: PlainMembers): BodyShape {
  return Object.fromEntries(Object.keys(members).map((name) => [snakeCase(name), 'text']));
}

/** @returns the schema of each. */
export function plainSchemas(members: PlainMembers): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const form = member.is === 'url' ? { format: 'uri' } : { maxLength: member.maxLength };
      return [snakeCase(name), { type: 'string', ...form, description: member.doc }];
    }),
  );
}
