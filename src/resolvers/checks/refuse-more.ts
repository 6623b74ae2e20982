/** Limits the number of records of a kind that an account can have, so that their list stays short. */
import { invalidParameters } from '../../base/errors/errors.ts';
import type { Violations } from '../../base/errors/violations.ts';
import { inProse } from './lengths.ts';

/**
 * @param parameter - the caller's name for the addition.
 * @param count - the present number, read under the lock of the account.
 * @param things - plural name, for the message "at most `max` …".
 * @param checks - collect the violation together with others, if given.
 * @throws {GatewayError} `INVALID_PARAMETER` at the maximum, if no checks are given.
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
