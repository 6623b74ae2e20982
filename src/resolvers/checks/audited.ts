/**
 * Performs an action and records it, in one database transaction and under the lock of the account: the audit log has
 * exactly the actions that were committed. Actions on transactions go through the engine, which does the same for its
 * batches (engine/batch.ts).
 */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import type { NotificationKind } from '../../base/access/notification-kinds.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  type AuditEntry,
  type AuditFacts,
  type AuditObject,
  appendAudit,
  auditEntry,
  difference,
} from '../../store/engine/audit.ts';
import { addNotifications, type NewNotification } from '../../store/engine/notifications.ts';
import { authorOf, type Context, homeOf, type Origin } from '../services/context.ts';
import { type Locked, lockAccounts, withAccounts } from '../services/lock-accounts.ts';
import { accessEnded, lostScopes } from './access.ts';

/** Records an action that changed something. `origin`: of an action that the gateway performed, not the caller. */
export type WriteDown = (action: ActionName, object: AuditObject, facts?: Recorded) => void;

interface Recorded extends AuditFacts {
  readonly maker?: string | null;
  readonly origin?: Origin;
  /** Accounts, locked, whose audit logs get the record; default: that of the action. */
  readonly accounts?: Iterable<bigint>;
}

/** Author, account and clock of the action. */
type Acting = Pick<Context, 'caller' | 'origin' | 'mode' | 'clock' | 'database'>;
type Work<Result> = (tx: Tx, writeDown: WriteDown, nowMs: number) => Promise<Result>;

/**
 * Reads, checks and writes in one database transaction, under the lock that every writer of the account takes, so that no
 * update is lost.
 *
 * @param work - short, because it runs under the lock. Its record is stored with its writes; nothing is stored when it
 * throws. The action gets the time that was read under the lock, so that checks and audit log follow the order of the times.
 * @param others - further accounts to lock.
 * @throws {GatewayError} `FORBIDDEN` for a caller who has lost the scope of the action since the request began (C-40).
 */
export function audited<Result>(
  context: Acting,
  work: Work<Result>,
  others: readonly bigint[] = [],
): Promise<Result> {
  return withAccounts(context, [...accountsOf(context), ...others], (tx, locked) =>
    auditedUnder(tx, locked, context, work),
  );
}

/** As `audited`, in a database transaction that is open. */
export async function auditedIn<Result>(tx: Tx, context: Acting, work: Work<Result>): Promise<Result> {
  const locked = await lockAccounts(tx, context, accountsOf(context));
  return auditedUnder(tx, locked, context, work);
}

/** The account of the action, and that of its caller, under whose lock access ends. */
function accountsOf({ caller }: Acting): readonly bigint[] {
  return [caller.accountId, homeOf(caller)];
}

async function auditedUnder<Result>(
  tx: Tx,
  { heads, nowMs, ...time }: Locked,
  context: Acting,
  work: Work<Result>,
  intended?: ActionName,
): Promise<Result> {
  const entries = new Map<bigint, AuditEntry[]>();
  const hasLost = await lostScopes(context, tx);
  const requireNow = (action: ActionName) => {
    if (hasLost(ACTIONS[action].scope)) throw accessEnded();
  };
  if (intended) requireNow(intended);
  const writeDown: WriteDown = (action, object, recorded = {}) => {
    const { maker, origin, accounts = [context.caller.accountId], ...facts } = recorded;
    const by = origin ? { ...context, origin } : context;
    if (!origin) requireNow(action);
    const entry = auditEntry(authorOf(by, action, maker), object, time, facts);
    for (const each of accounts) entries.set(each, [...(entries.get(each) ?? []), entry]);
  };
  const result = await work(tx, writeDown, nowMs);
  for (const [accountId, own] of entries) {
    const head = heads.get(accountId);
    assert(head, `account ${accountId} is locked, and ${context.mode}`);
    await appendAudit(tx, head, own);
    await addNotifications(tx, accountId, own.flatMap(notificationOf));
  }
  return result;
}

/** Actions that the people of the account are notified of. */
const NOTIFIED: Readonly<Record<string, NotificationKind>> = {
  'key.create': 'key',
  'key.rotate': 'key',
  'person.invite': 'invitation',
} satisfies { readonly [Action in ActionName]?: NotificationKind };

function notificationOf({ act: action, objectId: subject }: AuditEntry): readonly NewNotification[] {
  const kind = NOTIFIED[action];
  return kind ? [{ kind, subject }] : [];
}

/**
 * Variant of `audited` for an action that changes one object: the record has the changed members, and an action without
 * a change has none. Access is checked before the work: the logged facts do not show every change.
 *
 * @param factsOf - reads the logged facts of the object, without secrets; before the work and after it.
 */
export function auditedChange<Result>(
  context: Context,
  action: ActionName,
  object: AuditObject,
  factsOf: (tx: Tx, nowMs: number) => Promise<object>,
  work: (tx: Tx, nowMs: number, writeDown: WriteDown) => Promise<Result>,
): Promise<Result> {
  const change: Work<Result> = async (tx, writeDown, nowMs) => {
    const before = await factsOf(tx, nowMs);
    const result = await work(tx, nowMs, writeDown);
    const facts = difference(before, await factsOf(tx, nowMs));
    if (facts) writeDown(action, object, facts);
    return result;
  };
  return withAccounts(context, accountsOf(context), (tx, locked) =>
    auditedUnder(tx, locked, context, change, action),
  );
}
