/** Sample events that test a receiver: one attempt each, outside of the event log. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A sample event. */
export interface NewSample {
  readonly endpointId: string;
  readonly eventName: string;
  /** Random part of its id for receivers. */
  readonly token: string;
  readonly payload: string;
  readonly requestedAt: Date;
}

/** A sample event that a process is about to send, with all data for sending it. */
export interface ClaimedSample extends Omit<NewSample, 'requestedAt'> {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly url: string;
  /** Sealed. */
  readonly signingKey: string | null;
  /** Id under which the secrets of the endpoint are stored. */
  readonly secretsId: string;
  /** The newest first, sealed. */
  readonly secrets: readonly string[];
}

/** The outcome of its attempt. */
export interface SampleOutcome {
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

/** Maximum number of stored sample events of an endpoint: the newest. */
export const SAMPLES_LISTED = 20;
/** Number of sample events of one account that a process sends in parallel. */
const OF_ACCOUNT_MAX = 4;

const ADD: Statement = {
  name: 'webhook_sample_add',
  text: `with old as (
      delete from webhook_sample where account_id = $1 and endpoint_id = $2 and id in (
        select id from webhook_sample where account_id = $1 and endpoint_id = $2 order by id desc offset ${SAMPLES_LISTED - 1})
    )
    insert into webhook_sample (account_id, endpoint_id, event_name, token, payload, requested_at)
      values ($1, $2, $3, $4, $5, $6) returning id`,
};
/**
 * Accounts take turns, and events under way (`$4`, the account of each) count as theirs: many events to a slow receiver do not
 * delay those of others. A claim never expires: an attempt whose process died is not repeated, because the receiver may have
 * got it.
 */
const CLAIM: Statement = {
  name: 'webhook_sample_claim',
  text: `with waiting as materialized (
      select s.account_id, s.id, row_number() over (partition by s.account_id order by s.id)
          + (select count(*) from unnest($4::bigint[]) u(account_id) where u.account_id = s.account_id) as turn
        from webhook_sample s join account a on a.id = s.account_id
       where s.attempted_at is null and a.mode = $1
    ), mine as (
      select s.account_id, s.id from waiting w join webhook_sample s using (account_id, id)
       where s.attempted_at is null and w.turn <= ${OF_ACCOUNT_MAX} order by w.turn, s.id limit $3 for update of s skip locked
    ), claimed as (
      update webhook_sample s set attempted_at = $2 from mine where s.account_id = mine.account_id and s.id = mine.id returning s.*
    ), named as (
      select c.*, p.url, p.signing_key, case p.kind when 'transaction' then 'transactions' else p.id end as secrets_id
        from claimed c join webhook_endpoint p on p.account_id = c.account_id and p.id = c.endpoint_id
       where p.removed_at is null
    )
    select n.account_id as "accountId", n.id, n.endpoint_id as "endpointId", n.event_name as "eventName", n.token, n.payload, n.url,
      n.signing_key as "signingKey", n.secrets_id as "secretsId",
      array(select s.secret from webhook_secret s where s.account_id = n.account_id and s.endpoint_id = n.secrets_id
               and (s.valid_until is null or s.valid_until > $2)
             order by s.valid_until desc nulls first, s.created_at desc) as secrets
    from named n`,
};
const END: Statement = {
  name: 'webhook_sample_end',
  text: `update webhook_sample set duration_ms = $3, status = $4, error = $5, answer = $6 where account_id = $1 and id = $2`,
};

/** Stores a sample event for the next process that sends. @returns its id. */
export async function addSample(tx: Tx, accountId: bigint, sample: NewSample): Promise<bigint> {
  const { endpointId, eventName, token, payload, requestedAt } = sample;
  const values = [accountId, endpointId, eventName, token, payload, requestedAt];
  const [row] = await tx.query<{ id: bigint }>(ADD, values);
  if (!row) throw new Error('an insert returns its row');
  return row.id;
}

/**
 * Claims sample events of the accounts of a mode.
 *
 * @param now - by the clock of the mode.
 * @param room - most events; `sending`: the account of each event that this process is sending.
 */
export function claimSamples(
  database: Tx,
  mode: AccountMode,
  now: Date,
  { room, sending }: { readonly room: number; readonly sending: readonly bigint[] },
): Promise<ClaimedSample[]> {
  return database.query<ClaimedSample>(CLAIM, [mode, now, room, sending]);
}

/** Stores the outcome of an attempt. */
export async function endSample(
  database: Tx,
  { accountId, id }: Pick<ClaimedSample, 'accountId' | 'id'>,
  { durationMs, status, error, answer }: SampleOutcome,
): Promise<void> {
  await database.query(END, [accountId, id, durationMs, status, error, answer]);
}
