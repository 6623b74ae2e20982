/** Records that the operator looked at a case of an account, or at payments that the view of a case lists. */
import { instantOf } from '../../base/time/instant.ts';
import { readViewed } from '../../store/account/audit-views.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { AuditObject } from '../../store/engine/audit.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import type { Context } from '../services/context.ts';
import type { OtherCase } from './other-cases.ts';
import type { Subject } from './read-subject.ts';

/** Looked at again within this time by the same person, it is not written down again. Unit: ms. */
const SAME_VIEW_MS = 15 * 60_000;

type ViewAction = 'transaction.view' | 'suspense.view' | 'case.view' | 'hit.view';

/** A record of an account that the caller looks at. */
interface View {
  readonly accountId: bigint;
  readonly action: ViewAction;
  readonly object: AuditObject;
}

/** A view of another account's case is recorded in the audit logs of both, once for requests at the same time. */
export async function auditView(context: Context, subject: Subject): Promise<void> {
  await auditViews(context, viewOf(subject));
}

/** Listed payments and cases of further accounts are recorded as views of each; those of the case's own account come with the case. */
export async function auditListed(
  context: Context,
  { accountId: own }: Subject,
  listed: {
    readonly rows: readonly Pick<ProcessRow, 'accountId' | 'end2end'>[];
    readonly cases: readonly OtherCase[];
  },
): Promise<void> {
  const views = [
    ...listed.rows.map(({ accountId, end2end }) => ofTransaction(accountId, end2end)),
    ...listed.cases.flatMap(viewOfCase),
  ].filter(({ accountId }) => accountId !== own);
  await auditViews(context, [...new Map(views.map((view) => [view.action + view.object.id, view])).values()]);
}

/** A list shows of a dispute no data of people. */
function viewOfCase({ kind, accountId, reference: id }: OtherCase): readonly View[] {
  if (kind === 'med_case') return [];
  if (kind === 'customer_case')
    return [{ accountId, action: 'case.view', object: { kind: 'customer_case', id } }];
  if (kind === 'screening_hit')
    return [{ accountId, action: 'hit.view', object: { kind: 'screening_hit', id } }];
  return [ofTransaction(accountId, id)];
}

async function auditViews(context: Context, all: readonly View[]): Promise<void> {
  const { caller, database } = context;
  const views = all.filter(({ accountId }) => accountId !== caller.accountId);
  if (views.length === 0) return;
  const since = instantOf(new Date((await context.clock.nowMs()) - SAME_VIEW_MS));
  const unrecorded = async (tx: Tx, wanted: readonly View[]) => {
    const viewed = await readViewed(tx, { actorId: caller.id, since }, wanted.map(keyOf));
    return wanted.filter((_, at) => viewed[at] !== true);
  };
  const missing = await unrecorded(database, views);
  if (missing.length === 0) return;
  const record = async (tx: Tx, writeDown: WriteDown) => {
    for (const { accountId, action, object } of await unrecorded(tx, missing))
      writeDown(action, object, { accounts: [caller.accountId, accountId] });
  };
  await audited(
    context,
    record,
    missing.map(({ accountId }) => accountId),
  );
}

function keyOf({ accountId, action, object }: View) {
  return { accountId, action, objectId: object.id };
}

/** @returns the seen record; nothing for a subject without data of people. */
function viewOf({ accountId, row, suspense, customerCase, hit, reference }: Subject): readonly View[] {
  if (accountId === null) return [];
  const view = (action: ViewAction, kind: AuditObject['kind'], id: string): readonly View[] => [
    { accountId, action, object: { kind, id } },
  ];
  if (row) return [ofTransaction(accountId, row.end2end)];
  if (suspense) return view('suspense.view', 'suspense_entry', reference);
  if (customerCase) return view('case.view', 'customer_case', String(customerCase.id));
  return hit ? view('hit.view', 'screening_hit', String(hit.id)) : [];
}

function ofTransaction(accountId: bigint, end2end: string): View {
  return { accountId, action: 'transaction.view', object: { kind: 'transaction', id: end2end } };
}
