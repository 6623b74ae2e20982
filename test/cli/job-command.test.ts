/**
 * Goal: an operator finds failed jobs and retries one immediately, and timers do not move. Method: the command, on a
 * database.
 */
import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { addJobs, claimJobs } from '../../src/store/engine/jobs.ts';
import { MONEY_OUT_EFFECTS } from '../../src/templates/effects.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
let accountId: bigint;

/** @returns the JSON output of the command, or its refusal. */
async function job(...args: string[]) {
  const { code, stdout, stderr } = await command({ DATABASE_URL: store.url }, 'job', ...args, '--json');
  return code === 0 ? JSON.parse(stdout) : { code, stderr };
}

async function add(kind: string, dueMs: number, lastError: string | null = null): Promise<string> {
  await addJobs(store.database, [{ accountId, transactionId: null, kind, payload: {}, dueMs }], null);
  const { rows } = await store.owner.query(
    `update job set last_error = $1, attempts = case when $1::text is null then 0 else 7 end
      where kind = $2 returning id`,
    [lastError, kind],
  );
  return rows[0].id;
}

beforeAll(async () => {
  accountId = await createAccount(store.database, 'live', { templates: [], mode: 'live' });
});

test('due and failed jobs are listed, jobs before their time are not', async () => {
  const now = Date.now();
  const due = await add('due', now - 60_000);
  const failed = await add('failed', now + 3_600_000, 'the rail is away');
  await add('timer', now + 3_600_000);
  expect((await job('list', '--live')).map(({ id }: { id: string }) => id)).toEqual([due, failed]);
  expect(await job('list', '--live', '--failed')).toMatchObject([
    { id: failed, kind: 'failed', tries: 7, account: String(accountId), lastError: 'the rail is away' },
  ]);
  expect((await job('list', '--live', '--kind', 'due')).length).toBe(1);
  expect(await job('list')).toEqual([]);
});

test('a job that a worker has is listed as running', async () => {
  const id = await add('hanging', Date.now() - 600_000);
  await store.owner.query(
    `update job set attempts = 1, leased_by = 'another', leased_until = clock_timestamp() + interval '1 hour' where id = $1`,
    [id],
  );
  const { stdout } = await command({ DATABASE_URL: store.url }, 'job', 'list', '--live', '--kind', 'hanging');
  expect(stdout).toMatch(/^ID +DUE +KIND +TRIES +RUNNING +ACCOUNT/);
  expect(stdout).toMatch(/hanging +1 +yes/);
});

test('a failed job becomes due immediately, with an author in the audit log, and a timer stays unchanged', async () => {
  const failed = await add('order', Date.now() + 3_600_000, 'the rail is away');
  const timer = await add('expire', Date.now() + 3_600_000);
  expect(await job('retry', failed, '--live')).toEqual({ id: failed, state: 'due' });
  expect(await job('show', failed, '--live')).toMatchObject({ tries: 0, running: false });
  expect(await job('retry', timer, '--live')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not due yet'),
  });
  const { rows } = await store.owner.query(
    `select id, due_at <= now() as due from job where id = any($1) order by id`,
    [[failed, timer]],
  );
  expect(rows).toEqual([
    { id: failed, due: true },
    { id: timer, due: false },
  ]);
  const log = await store.owner.query(
    `select act, actor_kind, object_kind, after from audit_entry where account_id = $1 and act = 'job.retry'`,
    [String(accountId)],
  );
  expect(log.rows).toMatchObject([
    { actor_kind: 'OPERATOR', object_kind: 'account', after: { job: failed, kind: 'order', attempts: 7 } },
  ]);
});

test('all jobs of one kind that wait for a person become due immediately, each with an entry in the audit log', async () => {
  const never = new Date('9999-01-01').getTime();
  const jobs = Array.from({ length: 130 }, () => 'send_funds').concat('order_returns');
  for (const kind of jobs)
    await addJobs(
      store.database,
      [{ accountId, transactionId: null, kind, payload: {}, dueMs: never }],
      null,
    );
  await store.owner.query(
    `update job set due_at = 'infinity', last_error = 'the bank is away', attempts = 12 where kind = any($1)`,
    [['send_funds', 'order_returns']],
  );
  const later = await add('send_funds_later', Date.now() + 3_600_000, 'the bank is away');
  await store.owner.query(`update job set kind = 'send_funds' where id = $1`, [later]);
  const waiting = async () => {
    const { rows } = await store.owner.query(
      `select kind, count(*)::int as jobs from job where due_at = 'infinity' group by kind order by kind`,
    );
    return rows;
  };
  expect(await job('retry', '--waiting', '--kind', 'send_funds')).toEqual({ retried: 0 });
  expect(await job('retry', '--waiting', '--kind', 'send_funds', '--live')).toEqual({ retried: 130 });
  expect(await waiting()).toEqual([{ kind: 'order_returns', jobs: 1 }]);
  expect(await job('show', later, '--live')).toMatchObject({ tries: 7 });
  const { rows } = await store.owner.query(
    `select count(distinct after->>'job')::int as jobs from audit_entry where act = 'job.retry' and after->>'kind' = 'send_funds'`,
  );
  expect(rows).toEqual([{ jobs: 130 }]);
  expect(await job('retry', '--waiting', '--live')).toEqual({ retried: 1 });
  expect(await waiting()).toEqual([]);
});

test('a retry names one job, or all waiting ones', async () => {
  for (const args of [[], ['--kind', 'send_funds'], ['4711', '--waiting']])
    expect(await job('retry', ...args, '--live')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--waiting'),
    });
});
test('a failed job that nothing waits for is cancelled with a reason; a job that money waits for is refused', async () => {
  const reason = ['--reason', 'the provider has dropped the charge'];
  const later = Date.now() + 3_600_000;
  const cancellation = await add('cancel_charge', later, 'the rail is away');
  expect(await job('cancel', cancellation, '--live', ...reason)).toEqual({
    id: cancellation,
    state: 'cancelled',
  });
  expect(await job('show', cancellation, '--live')).toMatchObject({ code: 1 });
  const log = await store.owner.query(
    `select actor_kind, before, after from audit_entry where account_id = $1 and act = 'job.cancel'`,
    [String(accountId)],
  );
  expect(log.rows).toEqual([
    {
      actor_kind: 'OPERATOR',
      before: { job: cancellation, kind: 'cancel_charge', attempts: 7 },
      after: { reason: reason[1] },
    },
  ]);
  for (const kind of ['news', 'swap', 'screen', ...MONEY_OUT_EFFECTS, 'create_charge', 'expire']) {
    const refused = await job('cancel', await add(kind, later, 'the rail is away'), '--live', ...reason);
    expect(refused, kind).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be cancelled') });
  }
  await store.owner.query(`delete from job where kind = 'cancel_charge'`);
  const unfailed = await add('cancel_charge', later);
  expect(await job('cancel', unfailed, '--live', ...reason)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has not failed'),
  });
  expect(await job('cancel', unfailed, '--live', '--reason', '')).toMatchObject({ code: 2 });
}, 120_000);

test('a leased job, a job of the other mode and a finished job are refused', async () => {
  const taken = await add('taken', Date.now() - 60_000);
  const now = Date.now();
  const claimed = await claimJobs(store.database, {
    now: { sandbox: now, live: now },
    limit: 100,
    worker: null,
    leasedBy: 'another',
  });
  expect(claimed.map(({ id }) => String(id))).toContain(taken);
  expect(await job('retry', taken, '--live')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a worker is doing'),
  });
  for (const args of [
    ['retry', taken],
    ['show', '999999', '--live'],
    ['show', 'x', '--live'],
  ])
    expect(await job(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
});
