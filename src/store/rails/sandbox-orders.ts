/**
 * Orders that the rails of the sandbox received. An order, the plan that it consumes, its answer and the jobs that
 * report its outcome are stored by one statement, for all orders that arrive together.
 */
import type { Database, Statement } from '../connection/database.ts';
import { isDuplicateKey } from '../connection/database-error.ts';
import { insertJobs, JOB_RECORD, jobRecord, type NewJob } from '../engine/jobs.ts';

/** Consequence of an order: its stored answer, and the jobs that report its outcome. */
export interface OrderOutcome {
  readonly answer?: string;
  readonly jobs?: readonly NewJob[];
}

/** An order that the sandbox receives. */
export interface SandboxOrder {
  readonly accountId: bigint;
  /** Null for money that no transaction accepted. */
  readonly transactionId: bigint | null;
  /** Idempotency key. */
  readonly key: string;
  readonly kind: string;
  /** The request, as JSON. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Consequence without a plan. */
  readonly usual: OrderOutcome;
  /** Consequences by the name of the plan, in order of precedence. */
  readonly planned: Readonly<Record<string, OrderOutcome>>;
}

/** Result of sending an order. */
export interface SubmittedOrder {
  /** False if the key was used before: then the order had no consequence. */
  readonly isNew: boolean;
  /** The consumed plan; null without one, or if the order is not new. */
  readonly plan: string | null;
  /** The stored answer; null without one. */
  readonly answer: string | null;
}

/** The key of a job's order: name of the transaction, id of the job. */
const OF_A_JOB = '^[0-9A-Z]+(?=:[0-9]+$)';

/** SQL of the stored form of an order's key. */
export const storedKey = (key: string): string => `regexp_replace(${key}, '${OF_A_JOB}', '')`;

/**
 * @returns the stored form of an order's key: without the name of its transaction, because no other job has the id. The
 * stored form is a third as long, and its values rise in order.
 */
function storedKeyOf(key: string): string {
  return key.replace(new RegExp(OF_A_JOB), '');
}

/**
 * Orders of one transaction come one at a time, so no other order consumes the plan that is read here. With `offset 0`
 * each order is looked up by its key; a join could read the whole table.
 */
const SUBMIT: Statement = {
  name: 'sandbox_place_orders',
  text: `with given as materialized (
      select g.*, p.scenario, coalesce(g.planned -> p.scenario, g.usual) as outcome
        from jsonb_to_recordset($1::jsonb) g(place int, account_id bigint, transaction_id bigint, key text, kind text, request jsonb,
            plans text[], usual jsonb, planned jsonb)
        left join lateral (
          select scenario from sandbox_plan s
           where s.account_id = g.account_id and s.transaction_id = g.transaction_id and s.scenario = any (g.plans)
           order by array_position(g.plans, s.scenario) limit 1) p on true
    ), placed as (
      insert into sandbox_order (account_id, transaction_id, key, kind, request)
        select account_id, transaction_id, key, kind, request || jsonb_strip_nulls(jsonb_build_object('answer', outcome -> 'answer'))
          from given g where not exists (select from sandbox_order o where o.account_id = g.account_id and o.key = g.key offset 0)
         order by account_id, key
      returning account_id, key, request ->> 'answer' as answer
    ), mine as (
      select g.*, o.key is not null as is_new, o.answer from given g left join placed o using (account_id, key)
    ), taken as (
      delete from sandbox_plan s using mine g
       where g.is_new and s.account_id = g.account_id and s.transaction_id = g.transaction_id and s.scenario = g.scenario
    ), added as (
      ${insertJobs(`select j.* from mine g cross join lateral jsonb_to_recordset(g.outcome -> 'jobs') j(${JOB_RECORD}) where g.is_new`, '$2')}
    )
    select is_new as "isNew", case when is_new then scenario end as plan, case when is_new then answer
        else (select o.request ->> 'answer' from sandbox_order o where o.account_id = g.account_id and o.key = g.key) end as answer
      from mine g order by place`,
};

/**
 * Stores orders, each with another key.
 * @param worker - worker of this process, which claims their jobs first; null for any worker.
 * @returns the results, in order.
 */
export async function submitOrders(
  database: Database,
  orders: readonly SandboxOrder[],
  worker: number | null,
): Promise<SubmittedOrder[]> {
  const records = orders.map(({ accountId, transactionId, key, kind, request, usual, planned }, submit) => ({
    place: submit,
    account_id: String(accountId),
    transaction_id: transactionId === null ? null : String(transactionId),
    key: storedKeyOf(key),
    kind,
    request,
    plans: Object.keys(planned),
    usual: recordOf(usual),
    planned: Object.fromEntries(Object.entries(planned).map(([plan, outcome]) => [plan, recordOf(outcome)])),
  }));
  const submit = () => database.query<SubmittedOrder>(SUBMIT, [JSON.stringify(records), worker]);
  return submit().catch((error) => {
    if (!isDuplicateKey(error)) throw error;
    // A parallel request sent the same order. It has been committed, so it is visible.
    return submit();
  });
}

function recordOf({ answer, jobs = [] }: OrderOutcome): object {
  return { ...(answer !== undefined && { answer }), jobs: jobs.map(jobRecord) };
}
