/** Reads the audit log: an account's own, with the scope `admin`. */
import { ACTIONS } from '../../base/access/actions.ts';
import { Violations } from '../../base/errors/violations.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import {
  type AuditFilter,
  type AuditSlice,
  countAudit,
  findNthAudit,
  type LoggedEntry,
  readAudit,
} from '../../store/account/audit-log.ts';
import type { NamedList } from '../checks/check-event-names.ts';
import { storableId } from '../checks/check-filter.ts';
import { LISTED_MAX } from '../checks/lengths.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Filter of entries; an entry has to match all given members. */
export interface AuditInput {
  /** Names of actions, as `docs/security.md` lists them. */
  readonly acts?: NamedList | undefined;
  readonly actorId?: string | undefined;
  readonly objectId?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A page of the log, and how many entries the filter finds in all. */
export interface AuditPage {
  readonly entries: readonly LoggedEntry[];
  readonly total: () => Promise<number>;
}

/** @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for the name of an unknown action. */
export async function readAuditLog(
  context: Context,
  input: AuditInput,
  slice: AuditSlice,
): Promise<AuditPage> {
  requireScope(context, 'admin');
  const { database, caller } = context;
  const filter = filterOf(input);
  return {
    entries: await readAudit(database, caller.accountId, filter, slice),
    total: () => countAudit(database, caller.accountId, filter),
  };
}

/**
 * @returns the number of the entry at a position of the filtered list, counted from 1 with the newest; the oldest entry has
 * the number 1, so nothing follows it when there are fewer.
 * @throws as above.
 */
export async function findAuditEntry(context: Context, input: AuditInput, offset: number): Promise<bigint> {
  requireScope(context, 'admin');
  const { database, caller } = context;
  return (await findNthAudit(database, caller.accountId, filterOf(input), offset)) ?? 1n;
}

function filterOf(input: AuditInput): AuditFilter {
  return {
    acts: checkActions(input.acts),
    actorId: storableId(input.actorId),
    objectId: storableId(input.objectId),
    since: input.since?.toISOString() ?? null,
    until: input.until?.toISOString() ?? null,
  };
}

function checkActions(input: NamedList | undefined): readonly string[] | null {
  if (!input) return null;
  const violations = new Violations();
  violations.atMost(input.name, input.values, LISTED_MAX, 'acts');
  violations.refuse();
  const unknown = input.values.find((action) => !Object.hasOwn(ACTIONS, action));
  if (unknown !== undefined) {
    const near = nearestName(unknown, Object.keys(ACTIONS));
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    violations.add({
      parameter: input.name,
      message: `must be names of acts such as webhook.create, not ${unknown.slice(0, 100)}${hint}`,
    });
  }
  violations.refuse();
  return input.values;
}
