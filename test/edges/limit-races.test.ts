/**
 * Goal: limits hold however much is asked for at once (C-21, C-22). Method: 64 clients at a time against each limit, on
 * one account with the real ledger; then what passed is added up. `LIMIT_ROUNDS=200` goes on longer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, useApp } from '../support/app.ts';
import { newCustomer, newShop, type Shop, stepOf } from '../support/limits.ts';
import { useOneDay } from '../support/one-day.ts';
import { whitelist } from '../support/rest-routes.ts';

const CLIENTS = 64;
const ROUNDS = Number(process.env.LIMIT_ROUNDS ?? 3);
const TIMEOUT_MS = 60_000 + ROUNDS * 20_000;

useOneDay();
const app = useApp({ rateLimit: null });
let shop: Shop;

beforeAll(async () => {
  shop = await newShop(app);
});
afterAll(async () => {
  const { rows } = await app.owner.query(
    `select coalesce(c.account_id, v.account_id), coalesce(c.subject, v.subject), c.brl, v.open + v.paid as counted
      from (select account_id, process -> 'counted' ->> 'subject' as subject, process -> 'counted' ->> 'day' as day,
            sum((process -> 'counted' ->> 'brl')::numeric) as brl
          from transaction where process -> 'counted' is not null group by 1, 2, 3) c
        full join volume_day v on v.account_id = c.account_id and v.subject = c.subject and v.day = c.day::date
      where coalesce(c.account_id, v.account_id) <> $1 and coalesce(c.brl, 0) <> coalesce(v.open + v.paid, 0)`,
    // Imported history says nothing of how it is counted.
    [String(app.accountId)],
  );
  expect(rows, 'what is counted of all transactions is what their days say').toEqual([]);
});

/** The same by all clients at once, round after round. */
async function rounds(round: () => Promise<void>): Promise<void> {
  for (let n = 0; n < ROUNDS; n++) await round();
}

function all<Result>(work: (client: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
}

const made = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201);

test(
  'C-21: parallel creations use up a customer’s limit of the day, over all families, and do not exceed it',
  async () => {
    await shop.limit({ daily: '50000', stepUp: '1000000' });
    await rounds(async () => {
      const [one, other] = [newCustomer(), newCustomer()];
      const answers = await all((client) =>
        client % 2 === 0
          ? shop.onramp(client % 4 === 0 ? one : other, '20000')
          : shop.checkout(client % 4 === 1 ? one : other, '20000'),
      );
      expect(made(answers)).toHaveLength(4);
      for (const { status, json } of answers)
        if (status !== 201) expect([status, json.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    });
  },
  TIMEOUT_MS,
);

test(
  'C-21: parallel payments are converted up to the limit of the day; the rest is held, and nothing is lost',
  async () => {
    await rounds(async () => {
      await shop.limit({ daily: '1000000', stepUp: '1000000' });
      const taxId = newCustomer();
      const charges = await all((client) => shop.charge(taxId, '1000', client % 2 ? 'onramp' : 'checkout'));
      await shop.limit({ daily: '5500' });
      const steps = (await all((client) => shop.pay(charges[client] as string))).map(({ row }) =>
        stepOf(row),
      );
      expect(steps.filter((step) => step.endsWith('/PAID'))).toHaveLength(5);
      expect(steps.filter((step) => step === 'compliance/UNCOMPLIANT')).toHaveLength(CLIENTS - 5);
    });
  },
  TIMEOUT_MS,
);

test(
  'C-21: parallel payments pass without extra verification up to its threshold of 30 days, and not beyond',
  async () => {
    await rounds(async () => {
      await shop.limit({ daily: '1000000', stepUp: '1000000' });
      const taxId = newCustomer();
      const charges = await all((client) => shop.charge(taxId, '1000', client % 2 ? 'onramp' : 'checkout'));
      await shop.limit({ stepUp: '10000' });
      const paid = await all((client) => shop.pay(charges[client] as string));
      expect(paid.filter(({ row }) => row.process?.stepUp !== 'due')).toHaveLength(10);
    });
  },
  TIMEOUT_MS,
);

test(
  'C-22: parallel withdrawals need no approval up to the threshold of the day, and not beyond',
  async () => {
    await rounds(async () => {
      const bank = await newShop(app);
      await whitelist(app, bank.accountId, 'grp_bank', [{ pixKeyType: 'email', target: 'ana@example.com' }]);
      await bank.approveAbove('100');
      await bank.post('/v2/sandbox/fund', { currency: 'BRL', amount: '10000' });
      const second = await app.addKey(bank.accountId, ['read', 'move']);
      const answers = await all((client) =>
        bank.post(
          '/v2/withdrawal',
          { amount_received: '15.79', currency_receive_code: 'BRL', group_id: 'grp_bank' },
          client % 2 ? bank.apiKey : second.apiKey,
        ),
      );
      expect(made(answers)).toHaveLength(CLIENTS);
      const free = answers.filter(({ json }) => json.component !== 'approval_withdrawl_dash');
      expect(free).toHaveLength(6);
    });
  },
  TIMEOUT_MS,
);
