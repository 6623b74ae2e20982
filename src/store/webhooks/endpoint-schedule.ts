/**
 * The turns of endpoints, and the sending processes. A row of `webhook_turn` holds the earliest time at which a
 * delivery may be sent to an endpoint. Every change that makes it earlier updates the row in the same transaction
 * (`scheduleNow`).
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** An endpoint by its key. */
export interface EndpointKey {
  readonly accountId: bigint;
  readonly endpointId: string;
}

/** The time of the accounts of a mode, on two clocks. */
export interface ScheduleTimes {
  readonly mode: AccountMode;
  /** Process clock (virtual in the sandbox). */
  readonly nowMs: number;
  /** System clock. The clocks of all machines must agree within a few seconds. */
  readonly machineMs: number;
}

/** @returns the key as one text. */
export function endpointName({ accountId, endpointId }: EndpointKey): string {
  return `${accountId}/${endpointId}`;
}

/** Age of a heartbeat at which a process counts as dead. Processes renew it every second. */
const DEAD_SECONDS = 6;
/** Maximum number of pending deliveries that a scan for missed turns checks. */
const SCANNED_MAX = 500;

/**
 * A statement, or a part of one, that selects endpoints with deliveries that may be sent now. Rows are locked in order,
 * so that two such statements do not wait for each other. The statement waits for a dispatcher that has locked a row,
 * because it may not have seen the new deliveries.
 * @param endpoints - query of (account_id, endpoint_id).
 * @param at - SQL of the time.
 */
export function scheduleNow(endpoints: string, at: string): string {
  return `insert into webhook_turn (account_id, endpoint_id, at)
      select distinct account_id, endpoint_id, ${at} from (${endpoints}) e order by 1, 2
    on conflict (account_id, endpoint_id) do update set at = excluded.at where webhook_turn.at > excluded.at`;
}

const CLAIM: Statement = {
  name: 'turn_take',
  text: `select w.account_id as "accountId", w.endpoint_id as "endpointId" from webhook_turn w
      join webhook_endpoint p on p.account_id = w.account_id and p.id = w.endpoint_id
     where w.at >= $4 and w.at <= $1 and (select mode from account where id = w.account_id) = $3
     order by w.at limit $2 for no key update of w, p skip locked`,
};
const LIVE: Statement = {
  name: 'turn_live',
  text: `insert into webhook_worker (id, seen_at) values ($1, $2) on conflict (id) do update set seen_at = excluded.seen_at`,
};
/**
 * Released deliveries have been due for a while, so scans for new ones find them (poll-schedule.ts), even with a
 * slightly slow clock.
 */
const BURY: Statement = {
  name: 'turn_bury',
  text: `with dead as (
      delete from webhook_worker where seen_at < $1::timestamptz - interval '${DEAD_SECONDS} seconds' returning id
    ), freed as (
      update webhook_delivery d set leased_until = null, leased_by = null from (
        select e.account_id, e.id from dead join webhook_delivery e on e.leased_by = dead.id for no key update of e skip locked) f
       where d.account_id = f.account_id and d.id = f.id returning d.account_id, d.endpoint_id
    )
    ${scheduleNow('select account_id, endpoint_id from freed', `$1::timestamptz - interval '${DEAD_SECONDS} seconds'`)}`,
};
/** Deliveries are locked by id, as in all statements that lock several of an endpoint. */
const RELEASE: Statement = {
  name: 'turn_give_back',
  text: `with mine as materialized (
      select d.account_id, d.id from webhook_delivery d where d.leased_by = $1 and d.leased_until >= $5 and d.state = 'pending'
         and not exists (select from unnest($2::bigint[], $3::bigint[]) u(account_id, id) where u.account_id = d.account_id and u.id = d.id)
       order by d.account_id, d.id for no key update of d
    ), freed as (
      update webhook_delivery d set leased_until = null, leased_by = null from mine
       where d.account_id = mine.account_id and d.id = mine.id returning d.account_id, d.endpoint_id
    )
    ${scheduleNow('select account_id, endpoint_id from freed', '$4::timestamptz')}`,
};
const RELEASE_UNSENT: Statement = {
  name: 'turn_give_back_unsent',
  text: `with mine as materialized (
      select d.account_id, d.id from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) u(account_id, id, leased_until)
        join webhook_delivery d on d.account_id = u.account_id and d.id = u.id and d.leased_until = u.leased_until
         and d.state = 'pending' and d.leased_by = $4
       order by d.account_id, d.id for no key update of d
    ), freed as (
      update webhook_delivery d set leased_until = null, leased_by = null, attempts = d.attempts - 1 from mine
       where d.account_id = mine.account_id and d.id = mine.id returning d.account_id, d.endpoint_id
    )
    ${scheduleNow('select account_id, endpoint_id from freed', '$5::timestamptz')}`,
};
const FIND_MISSED: Statement = {
  name: 'turn_look',
  text: `with part as materialized (
      select account_id, endpoint_id, due_at, leased_until, at_once from webhook_delivery
       where state = 'pending' and (account_id, endpoint_id) > ($2, $3)
       order by account_id, endpoint_id limit ${SCANNED_MAX}
    ), woken as (
      ${scheduleNow(
        `select s.account_id, s.endpoint_id from part s
           join webhook_endpoint p on p.account_id = s.account_id and p.id = s.endpoint_id
          where s.due_at <= $1 and (s.leased_until is null or s.leased_until < $4) and p.state <> 'paused'
            and (s.at_once or p.blocked_until is null or p.blocked_until <= $1)
            and (select mode from account where id = s.account_id) = $5
            and not exists (select from webhook_turn w where w.account_id = s.account_id and w.endpoint_id = s.endpoint_id
                              and w.at <= $1)`,
        '$1::timestamptz',
      )}
    )
    select account_id as "accountId", endpoint_id as "endpointId" from part order by account_id desc, endpoint_id desc limit 1`,
};

/**
 * Locks endpoints of accounts of a mode whose turn it is, longest waiting first. Later statements see everything that
 * was committed for these endpoints before.
 * @param options - `since`: only endpoints whose turn began after this instant; `limit`: maximum number of endpoints.
 */
export function claimEndpoints(
  tx: Tx,
  { mode, nowMs }: Pick<ScheduleTimes, 'mode' | 'nowMs'>,
  { since, limit }: { readonly since: string; readonly limit: number },
): Promise<EndpointKey[]> {
  return tx.query<EndpointKey>(CLAIM, [new Date(nowMs).toISOString(), limit, mode, since]);
}

/**
 * Renews the sign of life of a process, and frees the deliveries of dead processes, of both modes.
 * @param worker - name of this process; unique among all.
 * @param machineMs - as in `ScheduleTimes`.
 */
export async function sendHeartbeat(database: Tx, worker: string, machineMs: number): Promise<void> {
  const machine = new Date(machineMs).toISOString();
  await database.query(LIVE, [worker, machine]);
  await database.query(BURY, [machine]);
}

/**
 * Releases deliveries that a process leased unknowingly, because the answer to the lease was lost. Expired leases need
 * no release.
 * @param known - the deliveries that it is working on.
 */
export async function releaseUnknownDeliveries(
  database: Tx,
  worker: string,
  known: readonly { readonly accountId: bigint; readonly id: bigint }[],
  { nowMs, machineMs }: Omit<ScheduleTimes, 'mode'>,
): Promise<void> {
  await database.query(RELEASE, [
    worker,
    known.map(({ accountId }) => accountId),
    known.map(({ id }) => id),
    new Date(nowMs).toISOString(),
    new Date(machineMs).toISOString(),
  ]);
}

/**
 * Releases deliveries that a process has leased and not sent: they count as never attempted. The call may be repeated
 * after a lost answer, so it names the lease: the next lease has the same attempt number.
 */
export async function releaseUnsentDeliveries(
  database: Tx,
  worker: string,
  unsent: readonly { readonly accountId: bigint; readonly id: bigint; readonly leasedUntil: string }[],
  nowMs: number,
): Promise<void> {
  await database.query(RELEASE_UNSENT, [
    unsent.map(({ accountId }) => accountId),
    unsent.map(({ id }) => id),
    unsent.map(({ leasedUntil }) => leasedUntil),
    worker,
    new Date(nowMs).toISOString(),
  ]);
}

/**
 * Checks some endpoints with waiting deliveries, in case their turn was missed.
 * @param times - times of a sign of life.
 * @param after - the endpoint that was checked last; undefined restarts.
 * @returns the endpoint checked last; undefined at the end.
 */
export async function findMissedEndpoints(
  database: Tx,
  { mode, nowMs, machineMs }: ScheduleTimes,
  after: EndpointKey | undefined,
): Promise<EndpointKey | undefined> {
  const { accountId = 0n, endpointId = '' } = after ?? {};
  const [last] = await database.query<EndpointKey>(FIND_MISSED, [
    new Date(nowMs).toISOString(),
    accountId,
    endpointId,
    new Date(machineMs).toISOString(),
    mode,
  ]);
  return last;
}
