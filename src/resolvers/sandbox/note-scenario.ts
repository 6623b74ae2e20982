/**
 * The audit log's part of scenarios: what is asked of the sandbox, and what came of it, is written down beside the work. Whoever
 * asks while others are written down shares a lock of the account and a commit with those who ask with it.
 */
import { groupCommit } from '../../base/group-commit.ts';
import { instantOf } from '../../base/instant.ts';
import type { Database } from '../../store/database.ts';
import { isOutOfReach } from '../../store/database-error.ts';
import {
  type AuditEntry,
  type AuditFacts,
  type AuditObject,
  auditEntry,
  chain,
} from '../../store/engine/audit.ts';
import { lockHeads, recordEvents } from '../../store/engine/processes.ts';
import { authorOf, type Context } from '../services/context.ts';

/** An entry, and the account in whose log it is. */
interface Note {
  readonly accountId: bigint;
  readonly entry: AuditEntry;
}

const BATCH_MAX = 200;

const writers = new WeakMap<Database, (note: Note) => Promise<null>>();

/** Writes down that the caller plays a scenario on an object. @returns when it is committed. */
export async function noteScenario(context: Context, object: AuditObject, facts: AuditFacts): Promise<void> {
  const { database, caller, clock } = context;
  const at = instantOf(new Date(await clock.nowMs()));
  const entry = auditEntry(authorOf(context, 'sandbox.trigger'), object, at, facts);
  const write = writers.get(database) ?? writerOf(database);
  writers.set(database, write);
  await write({ accountId: caller.accountId, entry });
}

function writerOf(database: Database): (note: Note) => Promise<null> {
  return groupCommit<Note, null>(
    (begun, grow) =>
      database.withTx(async (tx) => {
        const accountIds = new Set(begun.map(({ accountId }) => accountId));
        const heads = await lockHeads(tx, [...accountIds], 'sandbox');
        const notes = grow(({ accountId }) => accountIds.has(accountId));
        const chained = [...heads.values()].map((head) => {
          const own = notes.filter(({ accountId }) => accountId === head.accountId);
          return chain(
            head,
            own.map(({ entry }) => entry),
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
      }),
    { max: BATCH_MAX, failsAll: isOutOfReach },
  );
}
