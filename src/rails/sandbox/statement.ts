/** The statement of PIX in the sandbox: reported movements, with the ordered amounts. */

import { isEndToEndId, isReturnId } from '../../base/pix/end-to-end-id.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { EntryKind, RailStatement } from '../../resolvers/services/statement.ts';
import type { Database } from '../../store/connection/database.ts';
import { readAheadMs } from '../../store/rails/sandbox.ts';
import { readSandboxMovements, type SandboxMovement } from '../../store/rails/sandbox-statement.ts';

const KINDS: Readonly<Record<string, EntryKind>> = {
  payment: 'payment',
  refund_ended: 'refund',
  dispute_accepted: 'dispute',
  payout_ended: 'payout',
  payout_returned: 'payout_return',
};
/** Maximum time between an event and its report. Unit: ms. */
const REPORTED_AFTER_MS = 3_600_000;

/** @returns the statement, in times of the sandbox clock. */
export function sandboxStatement(database: Database): RailStatement {
  return {
    kinds: Object.values(KINDS),
    read: async ({ from, to }) => {
      const aheadMs = await readAheadMs(database);
      const since = new Date(from.getTime() - aheadMs);
      const moved = await readSandboxMovements(database, since, new Date(to.getTime() + REPORTED_AFTER_MS));
      return moved.map((each) => entryOf(each, aheadMs)).filter(({ at }) => at >= from && at < to);
    },
  };
}

function entryOf({ kind, id, amount, at, toldAt }: SandboxMovement, aheadMs: number) {
  const atMs = at === null ? (minuteOf(id) ?? millisOf(toldAt) + aheadMs) : Date.parse(at);
  return { kind: KINDS[kind] as EntryKind, id, amount, at: new Date(atMs) };
}

/**
 * @returns the minute in an id of the sandbox. Dispute ids contain no time; their entries shift when the clock is
 *   moved.
 */
function minuteOf(id: string): number | undefined {
  if (!isEndToEndId(id) && !isReturnId(id)) return undefined;
  const [, year, month, day, hour, minute] = /^.{9}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
}
