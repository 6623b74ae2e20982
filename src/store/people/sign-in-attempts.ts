/** Counts sign-in attempts over all processes: first a few without a pause, then one after each pause. */
import type { Statement, Tx } from '../connection/database.ts';

/** Limit of attempts. */
export interface AttemptLimit {
  /** Number of attempts without a pause. */
  readonly burst: number;
  /** Pause before each further attempt. Unit: ms. */
  readonly pauseMs: number;
}

// Locked rows of other attempts are skipped, because two parallel attempts would wait for each other's.
const COUNT_ATTEMPT: Statement = {
  name: 'sign_in_try_take',
  text: `with gone as (
      delete from sign_in_try where subject in (
        select subject from sign_in_try where forgotten_at < $2 and subject <> $1 for update skip locked)),
    taken as (
      insert into sign_in_try as t (subject, forgotten_at) values ($1, $2::timestamptz + $3 * interval '1 ms')
      on conflict (subject) do update set forgotten_at = greatest(t.forgotten_at, $2) + $3 * interval '1 ms'
        where greatest(t.forgotten_at, $2) + $3 * interval '1 ms' <= $2::timestamptz + $4 * interval '1 ms'
      returning t.subject)
    select exists (select from taken) as "isTaken",
      (select ceil(extract(epoch from forgotten_at - $2) * 1000)::int from sign_in_try where subject = $1) as "leftMs"`,
};

/**
 * Consumes an attempt.
 * @param subject - an address, or the id of a person.
 * @returns 0 if attempts are left; otherwise the milliseconds until the next one.
 */
export async function countAttempt(
  tx: Tx,
  subject: string,
  { burst, pauseMs }: AttemptLimit,
  now: Date,
): Promise<number> {
  const values = [subject, now, pauseMs, burst * pauseMs];
  const [row] = await tx.query<{ isTaken: boolean; leftMs: number | null }>(COUNT_ATTEMPT, values);
  return row?.isTaken ? 0 : Math.max(1, (row?.leftMs ?? 0) + pauseMs - burst * pauseMs);
}
