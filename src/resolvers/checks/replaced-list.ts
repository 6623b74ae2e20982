/**
 * A list that is replaced as a whole: without a check, the later of two people who saw the same list would undo the earlier
 * one's change.
 */
import { GatewayError } from '../../base/errors/errors.ts';

/** The list that the caller saw, under the name of its parameter. */
export interface SeenList {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * @param seen - a caller without it may replace any list.
 * @throws {GatewayError} `LIST_CHANGED` unless the present list is the seen one, or already equals the new one, as after a
 * repeated request.
 */
export function refuseUnseen(
  present: readonly string[],
  wanted: readonly string[],
  seen: SeenList | undefined,
): void {
  if (!seen || isSame(present, seen.values) || isSame(present, wanted)) return;
  const message = 'the list has changed meanwhile: look at it again';
  throw new GatewayError('LIST_CHANGED', message, { violations: [{ parameter: seen.name, message }] });
}

/** @returns whether two lists have the same members, in any order. */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  const [members, others] = [new Set(one), new Set(other)];
  return members.size === others.size && [...members].every((each) => others.has(each));
}
