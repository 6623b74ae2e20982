/**
 * Goal: a key stands for one request and one effect for a day, whatever happens on the way (C-52). Method: over HTTP;
 * days, dead requests and slow rails are made by the owner of the database, by locks, and by rails that wait.
 */
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bindKey, claimKey, releaseKey } from '../../../src/store/engine/idempotency.ts';
import { type Answer, useApp } from '../../support/app.ts';
import { allowWithdrawals, cpfOf, type Merchant } from '../../support/load.ts';
import { eventually } from '../../support/receiver.ts';

const app = useApp();
let groups: Merchant['groups'];
let uses = 0;

beforeAll(async () => {
  groups = await allowWithdrawals(app.owner, app.accountId, null);
  for (const currency of ['USDT_TRX', 'BRL'])
    await app.post('/v2/sandbox/fund', { currency, amount: '100000' });
});

/** A key and a mark that nobody used before. */
function fresh(): { key: string; mark: string } {
  uses += 1;
  return { key: `key-${uses}`, mark: `mark-${uses}` };
}

const onrampOf = (mark: string) => ({
  currency_exit_received_code: 'USDT_TRX',
  amount_payment: '100.00',
  client_name: 'Ana Souza',
  client_tax_id: cpfOf(uses),
  external_code: mark,
});
const withdrawalOf = (mark: string) => ({
  currency_receive_code: 'USDT_TRX',
  amount_received: '100',
  group_id: groups.crypto,
  notes: mark,
});
const under = (key: string, path: string, body: unknown, apiKey = app.apiKey): Promise<Answer> =>
  app.post(path, body, { key: apiKey, headers: { 'idempotency-key': key } });
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';

async function madeWith(mark: string): Promise<string[]> {
  const { rows } = await app.owner.query(
    'select end2end from transaction where coalesce(external_code, notes) = $1 order by id',
    [mark],
  );
  return rows.map(({ end2end }) => end2end);
}

/** Lets the time of a key go by. */
async function age(key: string, interval: string): Promise<void> {
  await app.owner.query('update idempotency_key set created_at = now() - $2::interval where key = $1', [
    key,
    interval,
  ]);
}

/** As it looks after the process died under a request: the lease is held, or over; nothing was answered. */
async function kill(key: string, { isLeased }: { isLeased: boolean }): Promise<void> {
  const { rowCount } = await app.owner.query(
    `update idempotency_key set status = null, answer = null, leased_until = clock_timestamp() + $2::interval where key = $1`,
    [key, isLeased ? '15 seconds' : '-1 second'],
  );
  expect(rowCount).toBe(1);
}

test('RAILS_MISSING is about the gateway, not about the request: it is not stored under the key', async () => {
  const { apiKey } = await app.addAccount({ mode: 'live' });
  const { key, mark } = fresh();
  for (let time = 1; time <= 2; time++) {
    const refused = await under(key, '/v2/onramp', onrampOf(mark), apiKey);
    expect([refused.status, refused.json.code, isReplayed(refused)]).toEqual([422, 'RAILS_MISSING', false]);
  }
});

describe('the same key', () => {
  test.each([
    ['/v2/onramp', onrampOf],
    ['/v2/crossramp_checkout', onrampOf],
    ['/v2/withdrawal', withdrawalOf],
  ])('of %s with the same body gets the same answer, byte for byte, and makes nothing', async (path, bodyOf) => {
    const { key, mark } = fresh();
    const body = bodyOf(mark);
    const first = await under(key, path, body);
    const second = await under(key, path, body);
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    expect([second.status, isReplayed(second)]).toEqual([201, true]);
    expect(second.text).toBe(first.text);
    expect(await madeWith(mark)).toEqual([first.json.end2end]);
  });

  test('gets it even if the transaction continued since', async () => {
    const { key, mark } = fresh();
    const first = await under(key, '/v2/onramp', onrampOf(mark));
    await app.post(`/v2/onramp/${first.json.end2end}/cancel`);
    expect((await under(key, '/v2/onramp', onrampOf(mark))).text).toBe(first.text);
  });

  test('with another body is refused, and keeps its meaning', async () => {
    const { key, mark } = fresh();
    const first = await under(key, '/v2/onramp', onrampOf(mark));
    const other = await under(key, '/v2/onramp', { ...onrampOf(mark), amount_payment: '100.01' });
    expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect((await under(key, '/v2/onramp', onrampOf(mark))).text).toBe(first.text);
    expect(await madeWith(mark)).toHaveLength(1);
  });

  test('of an action gets the answer of the action', async () => {
    const { key, mark } = fresh();
    const { json } = await app.post('/v2/onramp', onrampOf(mark));
    const path = `/v2/onramp/${json.end2end}/cancel`;
    const first = await under(key, path, {});
    const second = await under(key, path, {});
    expect([first.status, second.status, isReplayed(second)]).toEqual([200, 200, true]);
    expect(second.text).toBe(first.text);
  });

  test('of twenty in parallel creates one; the others get the same answer, or have to wait', async () => {
    const { key, mark } = fresh();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => under(key, '/v2/withdrawal', withdrawalOf(mark))),
    );
    const made = answers.filter((answer) => answer.status === 201);
    const waiting = answers.filter((answer) => answer.status === 409);
    expect(made.length + waiting.length).toBe(20);
    expect(made.filter((answer) => !isReplayed(answer))).toHaveLength(1);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const { json, headers } of waiting) {
      expect(json.code).toBe('IDEMPOTENCY_RUNNING');
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await madeWith(mark)).toEqual([made[0]?.json.end2end]);
  });

  test('is separate for another account, route or transaction', async () => {
    const { key, mark } = fresh();
    const other = await app.addAccount();
    const body = onrampOf(mark);
    const answers = [
      await under(key, '/v2/onramp', body),
      await under(key, '/v2/onramp', body, other.apiKey),
      await under(key, '/v2/crossramp_checkout', body),
    ];
    for (const answer of answers) expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
    expect(new Set(await madeWith(mark)).size).toBe(3);
    const [first, , third] = answers.map(({ json }) => json.end2end);
    const another = (await app.post('/v2/onramp', onrampOf(mark))).json.end2end;
    for (const path of [
      `/v2/onramp/${first}/cancel`,
      `/v2/onramp/${another}/cancel`,
      `/v2/crossramp_checkout/${third}/cancel`,
    ])
      expect((await under(key, path, {})).status, path).toBe(200);
  });

  test('of another API key of the account is the same', async () => {
    const { key, mark } = fresh();
    const second = await app.addKey(app.accountId, ['create', 'read']);
    const first = await under(key, '/v2/onramp', onrampOf(mark));
    expect((await under(key, '/v2/onramp', onrampOf(mark), second.apiKey)).text).toBe(first.text);
  });

  test('is new after a day, and not before', async () => {
    const { key, mark } = fresh();
    const first = await under(key, '/v2/onramp', onrampOf(mark));
    await age(key, '23 hours 59 minutes');
    expect((await under(key, '/v2/onramp', onrampOf(mark))).text).toBe(first.text);
    await age(key, '24 hours 1 minute');
    const other = { ...onrampOf(mark), amount_payment: '101.00' };
    const again = await under(key, '/v2/onramp', other);
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
    expect(again.json.end2end).not.toBe(first.json.end2end);
    expect((await under(key, '/v2/onramp', other)).text).toBe(again.text);
  });

  test.each(['', 'a b', 'tab\tbed', '\u00e1', 'x'.repeat(256)])('must have its form: %j', async (key) => {
    const { mark } = fresh();
    const answer = await under(key, '/v2/onramp', onrampOf(mark));
    expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(answer.json.violations).toMatchObject([{ parameter: 'Idempotency-Key' }]);
    expect(await madeWith(mark)).toEqual([]);
  });
});

describe('a refusal', () => {
  test('of a bad request does not use up the key', async () => {
    const { key, mark } = fresh();
    const bad = await under(key, '/v2/onramp', { ...onrampOf(mark), amount_payment: '-1' });
    expect(bad.status).toBe(400);
    const good = await under(key, '/v2/onramp', onrampOf(mark));
    expect([good.status, isReplayed(good)]).toEqual([201, false]);
  });

  test('about a step, a record or a scope does not use it up either', async () => {
    const { key, mark } = fresh();
    const { json } = await app.post('/v2/onramp', onrampOf(mark));
    const reader = await app.addKey(app.accountId, ['read']);
    const cancel = `/v2/onramp/${json.end2end}/cancel`;
    expect((await under(key, cancel, {}, reader.apiKey)).status).toBe(403);
    expect((await under(key, '/v2/onramp/nowhere/cancel', {})).status).toBe(404);
    expect((await under(key, cancel, {})).status).toBe(200);
    const late = await under(`${key}-again`, cancel, {});
    expect([late.status, late.json.code]).toEqual([409, 'STEP_CONFLICT']);
    const { rows } = await app.owner.query('select key from idempotency_key where key = $1', [
      `${key}-again`,
    ]);
    expect(rows).toEqual([]);
  });

  test('by a rule is an answer, and stays when the rule would allow it now', async () => {
    const { key, mark } = fresh();
    const poor = await app.addAccount();
    const body = {
      currency_entry_paid_code: 'USDT_TRX',
      amount_paid: '10',
      pix_key: cpfOf(uses),
      pix_key_type: 'cpf',
      client_name: 'Ana Souza',
      client_tax_id: cpfOf(uses),
      external_code: mark,
    };
    const first = await under(key, '/v2/offramp', body, poor.apiKey);
    expect([first.status, first.json.code, isReplayed(first)]).toEqual([422, 'INSUFFICIENT_BALANCE', false]);
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '10' }, { key: poor.apiKey });
    const second = await under(key, '/v2/offramp', body, poor.apiKey);
    expect([second.status, isReplayed(second)]).toEqual([422, true]);
    const shown = ({ request_id: _, ...problem }: Record<string, unknown>) => problem;
    expect(shown(second.json)).toEqual(shown(first.json));
    expect(await madeWith(mark)).toEqual([]);
    expect((await under(`${key}-new`, '/v2/offramp', body, poor.apiKey)).status).toBe(201);
  });
});

describe('a request that died', () => {
  test('holds its key for the time of a lease; then the next one does the work', async () => {
    const { key, mark } = fresh();
    const body = withdrawalOf(mark);
    // Died before anything was made: the key alone is there.
    await app.owner.query(
      `insert into idempotency_key (account_id, route, key, request_hash, leased_until)
       values ($1, 'POST /v2/withdrawal ', $2, sha256(convert_to($3, 'UTF8')), clock_timestamp() + interval '15 seconds')`,
      [String(app.accountId), key, JSON.stringify(body)],
    );
    const early = await under(key, '/v2/withdrawal', body);
    expect([early.status, early.json.code]).toEqual([409, 'IDEMPOTENCY_RUNNING']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    await kill(key, { isLeased: false });
    const other = await under(key, '/v2/withdrawal', { ...body, amount_received: '101' });
    expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const late = await under(key, '/v2/withdrawal', body);
    expect([late.status, isReplayed(late)]).toEqual([201, false]);
    expect(await madeWith(mark)).toEqual([late.json.end2end]);
  });

  test('after it created a record is answered with that record', async () => {
    const { key, mark } = fresh();
    const first = await under(key, '/v2/onramp', onrampOf(mark));
    await kill(key, { isLeased: true });
    expect((await under(key, '/v2/onramp', onrampOf(mark))).status).toBe(409);
    await kill(key, { isLeased: false });
    const second = await under(key, '/v2/onramp', onrampOf(mark));
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await madeWith(mark)).toEqual([first.json.end2end]);
    expect(isReplayed(await under(key, '/v2/onramp', onrampOf(mark)))).toBe(true);
  });

  test('after it performed an action is answered with its result', async () => {
    const { key, mark } = fresh();
    const { json } = await app.post('/v2/onramp', onrampOf(mark));
    const path = `/v2/onramp/${json.end2end}/cancel`;
    const first = await under(key, path, {});
    expect(first.status).toBe(200);
    await kill(key, { isLeased: false });
    const second = await under(key, path, {});
    expect([second.status, second.json.state]).toEqual([200, 'CANCELLED']);
  });

  test('after it entered an amount is answered as well', async () => {
    const { key } = fresh();
    const made = await app.graphql(
      'mutation { createCheckout(input: { currency: "USDT_TRX" }) { transaction { end2end } errors { code message path } } }',
    );
    const { end2end } = made.json.data.createCheckout.transaction;
    const document =
      'mutation($id: String!, $key: String) { enterAmount(input: { end2end: $id, amountPayment: "80", idempotencyKey: $key }) { transaction { component } errors { code message path } } }';
    const enter = () => app.graphql(document, { id: end2end, key });
    const first = await enter();
    await kill(key, { isLeased: false });
    const second = await enter();
    expect(first.json).toEqual({
      data: { enterAmount: { transaction: { component: 'pre_kyc' }, errors: [] } },
    });
    expect(second.json).toEqual(first.json);
  });

  test('or was only slow creates nothing when the next one took over', async () => {
    const { key, mark } = fresh();
    const fee = gate(app.services.rails.chain, 'networkFee');
    const slow = under(key, '/v2/withdrawal', withdrawalOf(mark));
    await fee.calls(1);
    await endLease(key);
    fee.restore();
    const next = await under(key, '/v2/withdrawal', withdrawalOf(mark));
    fee.let(0);
    const late = await slow;
    expect(next.status).toBe(201);
    expect(await madeWith(mark)).toEqual([next.json.end2end]);
    expect(late.status === 201 ? late.text : late.status).toBe(late.status === 201 ? next.text : 409);
    expect((await under(key, '/v2/withdrawal', withdrawalOf(mark))).text).toBe(next.text);
  });

  test('or failed late does not release the key of the next one', async () => {
    const { key, mark } = fresh();
    const fee = gate(app.services.rails.chain, 'networkFee');
    const slow = under(key, '/v2/withdrawal', withdrawalOf(mark));
    await fee.calls(1);
    await endLease(key);
    const next = under(key, '/v2/withdrawal', withdrawalOf(mark));
    await fee.calls(2);
    fee.fail(0);
    await slow;
    fee.let(1);
    fee.restore();
    const made = await next;
    expect(made.status).toBe(201);
    const again = await under(key, '/v2/withdrawal', withdrawalOf(mark));
    expect(await madeWith(mark)).toEqual([made.json.end2end]);
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
  });
});

describe('a rail', () => {
  test('that is too slow leaves a transaction, which the same key gets later', async () => {
    const { key, mark } = fresh();
    const charge = gate(app.services.rails.pix, 'createCharge');
    const early = await under(key, '/v2/onramp', onrampOf(mark));
    expect([early.status, early.json.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    const made = await madeWith(mark);
    expect(made).toHaveLength(1);
    charge.let(0);
    charge.restore();
    const late = await under(key, '/v2/onramp', onrampOf(mark));
    expect([late.status, late.json.end2end]).toEqual([201, made[0]]);
    expect(late.json.pix_copy_paste).toMatch(/^000201/);
    const again = await under(key, '/v2/onramp', onrampOf(mark));
    expect([again.text, isReplayed(again)]).toEqual([late.text, true]);
    expect(await madeWith(mark)).toEqual(made);
  });

  test('that is requested during the check of a slow database is waited for', async () => {
    const { key, mark } = fresh();
    const identity = gate(app.services.rails.identity, 'check');
    const charge = gate(app.services.rails.pix, 'createCharge');
    const { query } = app.database;
    let looks = 0;
    // Between the look at the clock and the look at what is due, one thing ends and the next becomes due.
    Object.assign(app.database, {
      query: async (...given: Parameters<typeof query>) => {
        if (given[0].name === 'job_pending_of' && looks++ === 0) {
          await setTimeout(300);
          await identity.calls(1);
          identity.let(0);
          await charge.calls(1);
        }
        return query(...given);
      },
    });
    const asked = under(key, '/v2/onramp', onrampOf(mark));
    await charge.calls(1);
    // After the first look it has not been answered: it looks again.
    await eventually('another look', () => looks > 1);
    Object.assign(app.database, { query });
    charge.let(0);
    for (const each of [identity, charge]) each.restore();
    const { status, json } = await asked;
    expect([status, json.state]).toEqual([201, 'QRCODE']);
  });

  test('that fails at first is no answer yet: the answered transaction can be paid', async () => {
    const { key, mark } = fresh();
    const charge = gate(app.services.rails.pix, 'createCharge');
    const asked = under(key, '/v2/onramp', onrampOf(mark));
    await charge.calls(1);
    charge.fail(0);
    charge.restore();
    let answer = await asked;
    for (let attempts = 0; answer.status !== 201 && attempts < 60; attempts++) {
      expect(answer.status).toBe(503);
      await setTimeout(500);
      answer = await under(key, '/v2/onramp', onrampOf(mark));
    }
    expect([answer.status, answer.json.state]).toEqual([201, 'QRCODE']);
    expect(answer.json.pix_copy_paste).toMatch(/^000201/);
  });

  test('that is quick is waited for, whatever the answer crosses on its way', async () => {
    const { query } = app.services.database;
    restores.push(() => Object.assign(app.services.database, { query }));
    // What is read is old when it arrives.
    const lateQuery: typeof query = async (...asked) => {
      const rows = await query<never>(...asked);
      await setTimeout(30);
      return rows;
    };
    Object.assign(app.services.database, { query: lateQuery });
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { key, mark } = fresh();
        for (;;) {
          const answer = await under(key, '/v2/onramp', onrampOf(mark));
          // A machine that is busy for longer than a rail is waited for.
          if (answer.json.code !== 'UNAVAILABLE') return answer;
        }
      }),
    );
    const steps = Map.groupBy(answers, ({ status, json }) => `${status} ${json.component}/${json.state}`);
    expect([...steps.keys()]).toEqual(['201 depositpix/QRCODE']);
  });
});

test('an account that is busy for too long is an error neither of the caller nor of ours: the same key works later', async () => {
  const { key, mark } = fresh();
  const lock = await app.owner.connect();
  try {
    await lock.query('begin');
    await lock.query('select from account_head where account_id = $1 for update', [String(app.accountId)]);
    const early = await under(key, '/v2/withdrawal', withdrawalOf(mark));
    expect([early.status, early.json.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await lock.query('rollback');
    lock.release();
  }
  expect(await madeWith(mark)).toEqual([]);
  const late = await under(key, '/v2/withdrawal', withdrawalOf(mark));
  expect([late.status, isReplayed(late)]).toEqual([201, false]);
  expect(await madeWith(mark)).toEqual([late.json.end2end]);
});

const restores: (() => void)[] = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

/** Makes calls of a rail wait until each is let through, or fails. */
function gate<Rail extends object>(rail: Rail, name: keyof Rail) {
  const original = rail[name] as (...args: unknown[]) => Promise<unknown>;
  const held: { readonly go: () => void; readonly fail: (error: Error) => void }[] = [];
  const restore = () => {
    rail[name] = original as Rail[typeof name];
  };
  rail[name] = (async (...args: unknown[]) => {
    await new Promise<void>((go, fail) => held.push({ go, fail }));
    return original(...args);
  }) as Rail[typeof name];
  restores.push(restore, () => {
    for (const { go } of held) go();
  });
  return {
    restore,
    let: (call: number) => held[call]?.go(),
    fail: (call: number) => held[call]?.fail(new Error('the rail is not well')),
    calls: (count: number) => eventually(`${count} calls of the rail`, () => held.length >= count),
  };
}

async function endLease(key: string): Promise<void> {
  await app.owner.query(
    `update idempotency_key set leased_until = clock_timestamp() - interval '1 second' where key = $1`,
    [key],
  );
}

test('C-52: a released key is free in the same millisecond', async () => {
  const use = { accountId: app.accountId, route: '/v2/onramp', key: fresh().key };
  const hash = Buffer.from('the same request');
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const taken = await claimKey(app.database, use, hash);
    const mine = { ...use, attempt: taken?.attempt ?? 0 };
    await app.database.withTx((tx) => bindKey(tx, mine, 'made-before'));
    await releaseKey(app.database, mine);
    expect(await claimKey(app.database, use, hash)).toMatchObject({ end2end: 'made-before' });
  } finally {
    vi.useRealTimers();
  }
});
