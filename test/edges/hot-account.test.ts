/**
 * Goal: an account that everybody works on at once stays right: no error, no deadlock, no cent too much or too little,
 * and of what excludes each other one thing happens. Method: one application, 32 clients at a time; then everything is
 * let come to rest, and looked at whole.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, useApp } from '../support/app.ts';
import { audit, comeToRest, type Standing } from '../support/crash.ts';
import {
  allowWithdrawals,
  cpfOf,
  type Merchant,
  newIntent,
  nextAct,
  query,
  randomOf,
} from '../support/load.ts';

const CLIENTS = 32;
const app = useApp({ rateLimit: null });
/** Every merchant of the file, for what is looked at in the end. */
const merchants: Merchant[] = [];
/** Statuses of all answers that were no use: nobody may get one of 500 or more. */
const failures: string[] = [];
let customers = 0;

afterAll(async () => {
  expect(failures).toEqual([]);
});

/** @returns the processes of the server that serve the gateway. */
async function gatewayBackends(): Promise<number[]> {
  const { rows } = await app.owner.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'crossramp'`,
  );
  return rows.map(({ pid }) => pid);
}

/** A process of the server has told its figures when it is gone: those of the gateway are ended, and it connects again. */
async function countDeadlocks(): Promise<string> {
  const pids = await gatewayBackends();
  await app.owner.query('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid', [pids]);
  await expect.poll(async () => (await gatewayBackends()).filter((pid) => pids.includes(pid))).toEqual([]);
  const { rows } = await app.owner.query(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0].deadlocks;
}

async function newMerchant(funds: Readonly<Record<string, string>>, approvalAbove: string | null = null) {
  const { accountId, apiKey } = await app.addAccount();
  const second = await app.addKey(accountId, SCOPES);
  const groups = await allowWithdrawals(app.owner, accountId, approvalAbove);
  const merchant: Merchant = { accountId, keys: [apiKey, second.apiKey], groups };
  for (const [currency, amount] of Object.entries(funds))
    expect((await post(merchant, '/v2/sandbox/fund', { currency, amount })).status).toBe(200);
  merchants.push(merchant);
  return merchant;
}

async function post(
  merchant: Merchant,
  path: string,
  body: unknown = {},
  keyIndex: 0 | 1 = 0,
): Promise<Answer> {
  const answer = await app.post(path, body, { key: merchant.keys[keyIndex] });
  if (answer.status >= 500) failures.push(`${path} ${answer.status} ${answer.text}`);
  return answer;
}

/** The same work by all clients at once. @returns what each gave. */
function all<Result>(work: (client: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
}

const customer = () => {
  customers += 1;
  return { client_name: 'Ana Souza', client_tax_id: cpfOf(customers) };
};
const offrampOf = (amount: string) => {
  const client = customer();
  return {
    currency_entry_paid_code: 'USDT_TRX',
    amount_paid: amount,
    ...client,
    pix_key: client.client_tax_id,
    pix_key_type: 'cpf',
  };
};
const withdrawalOf = (amount: string, group: string) => ({
  currency_receive_code: 'USDT_TRX',
  amount_received: amount,
  group_id: group,
});
const onrampOf = () => ({ currency_exit_received_code: 'USDT_TRX', amount_payment: '100.00', ...customer() });
const trigger = (merchant: Merchant, scenario: string, end2end: string) =>
  post(merchant, '/v2/sandbox/trigger', { scenario, end2end });
const stepOf = ({ json }: Answer) => `${json.component}/${json.state}`;
const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

async function rest(): Promise<void> {
  await comeToRest(app.owner, {
    baseUrl: app.baseUrl,
    merchants,
    platformKey: app.platformKey,
    patienceMs: 15_000,
  });
}

async function available(merchant: Merchant, currency = 'USDT_TRX'): Promise<string> {
  const { rows } = await app.owner.query(
    `select b.balance from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.account_id = $1 and a.currency = $2 and a.sub_account = 1`,
    [String(merchant.accountId), currency],
  );
  return rows[0].balance;
}

async function stepNow(merchant: Merchant, single: string, end2end: string): Promise<string> {
  return stepOf(await app.get(`/v2/${single}/${end2end}`, { key: merchant.keys[0] }));
}

/** What became of the payments of a charge. */
async function paymentsOf(end2end: string): Promise<{ taken: number; suspense: number }> {
  const { rows } = await app.owner.query(
    `select count(*) filter (where j.name = 'L1')::int as taken, count(*) filter (where j.name = 'L50')::int as suspense
       from transaction t join journal j on j.account_id = t.account_id and j.transaction_id = t.id where t.end2end = $1`,
    [end2end],
  );
  return rows[0];
}

async function read({ accountId, end2end, template }: Standing): Promise<string> {
  const family = REGISTRY.find(template)?.family ?? '';
  const single = family === 'checkouts' ? 'crossramp_checkout' : family.slice(0, -1);
  const key = merchants.find((merchant) => merchant.accountId === accountId)?.keys[0] as string;
  return (await query(`${app.baseUrl}/v2/${single}/${end2end}`, key))?.text ?? 'nothing';
}

describe('a balance that does not cover the requests on it', () => {
  test.each([
    '1000',
    '999.999999',
    '1099.999999',
  ])('%s pays for as many offramps of 100 as it covers', async (funds) => {
    const merchant = await newMerchant({ USDT_TRX: funds });
    const covered = Math.floor(Number(funds) / 100);
    const answers = (
      await all(async () => [
        await post(merchant, '/v2/offramp', offrampOf('100')),
        await post(merchant, '/v2/offramp', offrampOf('100')),
      ])
    ).flat();
    const taken = answers.filter((answer) => answer.status === 201);
    expect(taken).toHaveLength(covered);
    for (const answer of answers)
      if (!taken.includes(answer))
        expect([answer.status, answer.json.code]).toEqual([422, 'INSUFFICIENT_BALANCE']);
    await rest();
    for (const { json } of taken)
      expect(await stepNow(merchant, 'offramp', json.end2end)).toBe('success/DONE');
    expect(await available(merchant)).toBe(String(Math.round(Number(funds) * 1e6) - covered * 1e8));
  });

  test('withdrawals and offramps share it, and cancelled amounts are available to others', async () => {
    const merchant = await newMerchant({ USDT_TRX: '500' });
    const answers = await all((client) =>
      client % 2 === 0
        ? post(merchant, '/v2/offramp', offrampOf('50'))
        : post(merchant, '/v2/withdrawal', withdrawalOf('50', merchant.groups.crypto)),
    );
    expect(countOf(answers, 201) + countOf(answers, 422)).toBe(CLIENTS);
    expect(countOf(answers, 201)).toBe(10);
    await rest();
    expect(await available(merchant)).toBe('0');
  });

  test('released money is spent again, never twice', async () => {
    const merchant = await newMerchant({ USDT_TRX: '200' });
    const outcomes = await all(async () => {
      const made = await post(merchant, '/v2/offramp', {
        ...offrampOf('100'),
        external_code: 'sandbox:hold',
      });
      if (made.status !== 201) return 'refused';
      const cancelled = await post(merchant, `/v2/offramp/${made.json.end2end}/cancel`);
      return cancelled.status === 200 ? 'cancelled' : made.json.end2end;
    });
    await rest();
    const steps = await Promise.all(
      outcomes
        .filter((outcome) => outcome !== 'refused' && outcome !== 'cancelled')
        .map((end2end) => stepNow(merchant, 'offramp', end2end)),
    );
    const paid = steps.filter((step) => step === 'success/DONE').length;
    expect(paid).toBeLessThanOrEqual(2);
    expect(await available(merchant)).toBe(String((2 - paid) * 1e8));
  });
});

describe('requests that exclude each other', () => {
  test('of a payment and a cancellation one happens', async () => {
    const merchant = await newMerchant({ USDT_TRX: '1' });
    const races = await all(async (client) => {
      const { json } = await post(merchant, '/v2/onramp', onrampOf());
      const cancel = () => post(merchant, `/v2/onramp/${json.end2end}/cancel`);
      const pay = () => trigger(merchant, client % 4 < 2 ? 'pay' : 'pay-over', json.end2end);
      const first = client % 2 === 0 ? [cancel(), pay()] : [pay(), cancel()];
      const answers = await Promise.all([...first, cancel(), pay()]);
      return { end2end: json.end2end, answers };
    });
    await rest();
    for (const { end2end, answers } of races) {
      // Both payments come: one may be taken, and what is not taken lies in suspense (C-34).
      const step = await stepNow(merchant, 'onramp', end2end);
      expect(['success/DONE', 'quote/CANCELLED']).toContain(step);
      const isPaid = step === 'success/DONE';
      expect([countOf(answers, 200), countOf(answers, 409)], end2end).toEqual(isPaid ? [2, 2] : [3, 1]);
      expect(await paymentsOf(end2end), end2end).toEqual({ taken: isPaid ? 1 : 0, suspense: isPaid ? 1 : 2 });
    }
  });

  test('of many payments and cancellations of one transaction one happens', async () => {
    const merchant = await newMerchant({ USDT_TRX: '1' });
    const { json } = await post(merchant, '/v2/onramp', onrampOf());
    const answers = await all((client) =>
      client % 4 === 0
        ? post(merchant, `/v2/onramp/${json.end2end}/cancel`)
        : trigger(
            merchant,
            client % 4 === 1 ? 'pay' : client % 4 === 2 ? 'pay-under' : 'pay-over',
            json.end2end,
          ),
    );
    await rest();
    const { taken, suspense } = await paymentsOf(json.end2end);
    expect(taken).toBeLessThanOrEqual(1);
    expect(taken + suspense).toBe((CLIENTS / 4) * 3);
    // Every payment is answered, and a cancellation only where none was taken before.
    expect(countOf(answers, 200)).toBe((CLIENTS / 4) * 3 + 1 - taken);
    expect(countOf(answers, 200) + countOf(answers, 409)).toBe(CLIENTS);
  });

  test('a withdrawal is decided once, and not by the key that requested it', async () => {
    const merchant = await newMerchant({ USDT_TRX: '5000' }, '100');
    const decided = await all(async (client) => {
      const made = await post(merchant, '/v2/withdrawal', withdrawalOf('100', merchant.groups.crypto));
      expect(stepOf(made)).toBe('approval_withdrawl_dash/PENDING');
      const path = `/v2/withdrawal/${made.json.end2end}`;
      expect((await post(merchant, `${path}/approve`, {}, 0)).status).toBe(403);
      const approve = () => post(merchant, `${path}/approve`, {}, 1);
      const reject = () => post(merchant, `${path}/reject`, {}, 1);
      const answers = await Promise.all(
        client % 2 === 0 ? [approve(), approve(), approve()] : [approve(), reject(), approve(), reject()],
      );
      return { end2end: made.json.end2end, answers };
    });
    await rest();
    let sent = 0;
    for (const { end2end, answers } of decided) {
      expect(countOf(answers, 200), end2end).toBe(1);
      expect(countOf(answers, 409), end2end).toBe(answers.length - 1);
      const step = await stepNow(merchant, 'withdrawal', end2end);
      expect(['success_withdrawl_dash/DONE', 'approval_withdrawl_dash/REJECTED']).toContain(step);
      if (step === 'success_withdrawl_dash/DONE') sent += 1;
    }
    expect(await available(merchant)).toBe(String(5_000_000_000 - sent * 100_000_000));
    const { rows } = await app.owner.query(
      `select count(*)::int as transfers from sandbox_order where account_id = $1 and kind = 'transfer'`,
      [String(merchant.accountId)],
    );
    expect(rows[0].transfers).toBe(sent);
  });

  test('a withdrawal without an approval is never sent', async () => {
    const merchant = await newMerchant({ USDT_TRX: '100' }, '100');
    const made = await post(merchant, '/v2/withdrawal', withdrawalOf('100', merchant.groups.crypto));
    await rest();
    expect(await stepNow(merchant, 'withdrawal', made.json.end2end)).toBe('approval_withdrawl_dash/REJECTED');
    expect(await available(merchant)).toBe('100000000');
  });
});

test('all of them in parallel', { timeout: 180_000 }, async () => {
  const merchant = await newMerchant({ USDT_TRX: '2500', BRL: '1500' }, '250');
  const made: { path: string; end2end: string }[] = [];
  await all(async (client) => {
    const random = randomOf(client + 1);
    for (let step = 0; step < 40; step++) {
      if (made.length > CLIENTS && random.chance(0.6)) {
        const { path, body, keyIndex } = nextAct(random, random.pick(made.slice(-60)));
        const { status, text } = await post(merchant, path, body, keyIndex);
        if (![200, 409, 422].includes(status))
          failures.push(`${path} ${JSON.stringify(body)} ${status} ${text}`);
        continue;
      }
      const { path, body } = newIntent(random, merchant);
      const { status, json, text } = await post(merchant, path, body);
      if (status === 201) made.push({ path, end2end: json.end2end });
      else if (status !== 422) failures.push(`${path} ${status} ${text}`);
    }
  });
  await rest();
  const { defects, ...counts } = await audit(app.database, app.owner, read);
  expect(defects).toEqual([]);
  expect(counts.transactions).toBeGreaterThan(300);
  expect(await countDeadlocks()).toBe('0');
  expect(failures).toEqual([]);
});
