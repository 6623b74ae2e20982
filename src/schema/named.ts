/** Passes GraphQL arguments to the resolvers under the callers' names for them. */
import { type Named, Violations } from '../base/errors/violations.ts';
import { LISTED_MAX, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';

/** Members of an input object from GraphQL; null counts as omitted. */
type Members = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * @param path - path of the input object in the arguments: `input` names its member `currency` as `input.currency`.
 * @returns the given members, each under its path.
 */
export function namedMembers<Input extends { readonly [Name in keyof Input]: Named | null | undefined }>(
  path: string,
  members: Members | null | undefined,
): Input {
  const found: Record<string, Named> = {};
  for (const [name, value] of Object.entries(members ?? {}))
    if (value != null) found[name] = { name: `${path}.${name}`, value: String(value) };
  return found as Input;
}

/** The input member that gives a decision its reason. */
export const REASON_ARGUMENT = {
  required: true,
  description: `Reason of the decision, kept in the audit log; 1 to ${REFERENCE_LENGTH_MAX} characters.`,
} as const;

/** @returns the reason of a decision under its name. */
export function reasonOf({ reason }: { readonly reason: string }): Named {
  return { name: 'input.reason', value: reason };
}

/** @returns an argument under its name; undefined if omitted. */
export function named(name: string, value: string | null | undefined): Named | undefined {
  return value == null ? undefined : { name, value };
}

/** @throws {GatewayError} `INVALID_PARAMETER` for a list of more than `LISTED_MAX` values. */
export function refuseLonger(
  name: string,
  values: readonly unknown[] | null | undefined,
  things: string,
): void {
  const violations = new Violations();
  violations.atMost(name, values ?? [], LISTED_MAX, things);
  violations.refuse();
}

/** @returns the paths of these members of an input object, by member. */
export function pathsOf<Name extends string>(
  path: string,
  members: readonly Name[],
): Readonly<Record<Name, string>> {
  return Object.fromEntries(members.map((name) => [name, `${path}.${name}`])) as Record<Name, string>;
}
