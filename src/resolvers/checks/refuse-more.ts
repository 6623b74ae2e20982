/** Bounds how many things of a kind an account can have, so that their list stays a list. */
import { invalidParameters } from '../../base/errors/errors.ts';
import type { Violations } from '../../base/errors/violations.ts';
import { inProse } from './lengths.ts';

/**
 * @param parameter - the caller's name for what is to be added.
 * @param count - how many there are, read under the lock of the account.
 * @param things - what an account can have at most `max` of, in the plural.
 * @param checks - where they are given, it is noted there with what else is wrong, and they refuse it.
 * @throws {GatewayError} `INVALID_PARAMETER` when there are as many as there may be, and no checks are given.
 */
export function refuseMore(
  parameter: string,
  count: number,
  max: number,
  things: string,
  checks?: Violations,
): void {
  if (count < max) return;
  const message = `cannot be added: an account can have at most ${inProse(max)} ${things}`;
  if (!checks) throw invalidParameters([{ parameter, message }]);
  checks.add({ parameter, message });
}
