/** Bounds how many things of a kind an account can have, so that their list stays a list. */
import { invalidParameters } from '../../base/errors.ts';
import { inProse } from './lengths.ts';

/**
 * @param parameter - the caller's name for what is to be added.
 * @param count - how many there are, read under the lock of the account.
 * @param things - what an account can have at most `max` of, in the plural.
 * @throws {GatewayError} `INVALID_PARAMETER` when there are as many as there may be.
 */
export function refuseMore(parameter: string, count: number, max: number, things: string): void {
  if (count < max) return;
  const message = `cannot be added: an account can have at most ${inProse(max)} ${things}`;
  throw invalidParameters([{ parameter, message }]);
}
