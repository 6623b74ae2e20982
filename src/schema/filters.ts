/** Hands filters of GraphQL inputs to the resolvers under the names that their callers know them by. */
import type { Named } from '../resolvers/check-filter.ts';

/** @returns the given members, each named by its path in the arguments. */
export function namedFilters<Input extends { readonly [Name in keyof Input]: Named | undefined }>(
  filter: Readonly<Record<string, string | null | undefined>> | null | undefined,
): Input {
  return Object.fromEntries(
    Object.entries(filter ?? {}).flatMap(([name, value]) =>
      value == null ? [] : [[name, { name: `filter.${name}`, value }]],
    ),
  ) as Input;
}
