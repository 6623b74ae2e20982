/**
 * Audit log of scenarios: the request to the sandbox, and its result, are recorded in parallel to the work. Requests
 * made during a commit share the next lock of the account and the next commit.
 */
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
import { waitingForLocked } from '../engine/locked-accounts.ts';
import { authorOf, type Context } from '../services/context.ts';

/** An entry, and the account of its log. */
interface Note {
  readonly accountId: bigint;
  readonly entryAt: (time: AuditTime) => AuditEntry;
}

const BATCH_MAX = 200;

const writers = new WeakMap<Database, (note: Note) => Promise<null>>();

/** Writes down that the caller plays a scenario on an object. @returns when it is committed. */
export async function noteScenario(context: Context, object: AuditObject, facts: AuditFacts): Promise<void> {
  const { database, caller } = context;
  const author = authorOf(context, 'sandbox.trigger');
  const write = writers.get(database) ?? writerOf(context);
  writers.set(database, write);
  await write({ accountId: caller.accountId, entryAt: (time) => auditEntry(author, object, time, facts) });
}

function writerOf({ database, clock }: Pick<Context, 'database' | 'clock'>): (note: Note) => Promise<null> {
  const run: Run<Note, null> = (begun, grow) =>
    database.withTx(async (tx) => {
      const accountIds = new Set(begun.map(({ accountId }) => accountId));
      const heads = await lockHeads(tx, [...accountIds], 'sandbox');
      const notes = grow(({ accountId }) => accountIds.has(accountId));
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
