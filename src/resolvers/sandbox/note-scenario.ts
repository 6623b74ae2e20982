/**
 * Audit log of scenarios: the request to the sandbox, and its result, are recorded in parallel to the work. Requests
 * made during a commit share the next lock of the account and the next commit.
 */
import { ACTIONS } from '../../base/access/actions.ts';
import type { Run } from '../../base/concurrency/group-commit.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { Database } from '../../store/connection/database.ts';
import {
  type AuditEntry,
  type AuditFacts,
  type AuditObject,
  type AuditTime,
  auditEntry,
  chain,
} from '../../store/engine/audit.ts';
import { lockedHeads, lockHeads, recordEvents } from '../../store/engine/processes.ts';
import { accessEnded, type Decider, endedDeciders } from '../checks/access.ts';
import { waitingForLocked } from '../engine/locked-accounts.ts';
import { authorOf, type Context } from '../services/context.ts';

/** An entry, and the account of its log. */
interface Note {
  readonly accountId: bigint;
  readonly entryAt: (time: AuditTime) => AuditEntry;
  /** Author of a request, whose access is checked; null for the result of a request. */
  readonly requestedBy: Decider | null;
}

const BATCH_MAX = 200;
const ACTION = 'sandbox.trigger';

const writers = new WeakMap<Database, (note: Note) => Promise<null>>();

/**
 * Writes down that the caller plays a scenario on an object, or the result of that. @returns when it is committed.
 *
 * @throws {GatewayError} `FORBIDDEN` for a request of a caller whose access has ended.
 */
export async function noteScenario(
  context: Context,
  object: AuditObject,
  facts: AuditFacts,
  { isRequest }: { readonly isRequest: boolean },
): Promise<void> {
  const { database, caller } = context;
  const { accountId, id } = caller;
  const author = authorOf(context, ACTION);
  const write = writers.get(database) ?? writerOf(context);
  writers.set(database, write);
  const entryAt = (time: AuditTime) => auditEntry(author, object, time, facts);
  await write({ accountId, entryAt, requestedBy: isRequest ? { accountId, id } : null });
}

function writerOf({ database, clock }: Pick<Context, 'database' | 'clock'>): (note: Note) => Promise<null> {
  const run: Run<Note, null> = (begun, grow) =>
    database.withTx(async (tx) => {
      const accountIds = new Set(begun.map(({ accountId }) => accountId));
      const heads = await lockHeads(tx, [...accountIds], 'sandbox');
      const notes = grow(({ accountId }) => accountIds.has(accountId));
      const authors = notes.flatMap(({ requestedBy }) => requestedBy ?? []);
      const hasEnded = await endedDeciders(tx, authors, ACTIONS[ACTION].scope);
      if (authors.some(hasEnded)) throw accessEnded();
      const at = instantOf(new Date(await clock.nowMs(tx)));
      const time = { at, machineMs: database.nowMs() };
      const chained = [...heads.values()].map((head) => {
        const own = notes.filter(({ accountId }) => accountId === head.accountId);
        return chain(
          head,
          own.map(({ entryAt }) => entryAt(time)),
        );
      });
      const ends = chained.map(({ end }) => end);
      await recordEvents(
        tx,
        [],
        ends,
        chained.flatMap(({ rows }) => rows),
      );
      return notes.map(() => null);
    });
  return waitingForLocked(
    {
      run,
      accountsOf: ({ accountId }) => [accountId],
      lockedOf: (accountIds) => lockedHeads(database, accountIds),
    },
    { max: BATCH_MAX },
  );
}
