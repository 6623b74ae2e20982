/** A list that is replaced as a whole: of two people who saw the same one, the later would take away what the earlier added. */
import { GatewayError } from '../../base/errors.ts';

/** The list that the caller saw, under the name of its parameter. */
export interface SeenList {
  readonly name: string;
  readonly values: readonly string[];
}

/** @throws {GatewayError} `CONFLICT` unless the present list is the one that was seen, in whatever order; none was seen: any list. */
export function refuseUnseen(present: readonly string[], seen: SeenList | undefined): void {
  if (!seen) return;
  const shown = new Set(seen.values);
  if (shown.size === present.length && present.every((each) => shown.has(each))) return;
  const message = 'the list has changed meanwhile: look at it again';
  throw new GatewayError('CONFLICT', message, { violations: [{ parameter: seen.name, message }] });
}
