/**
 * Goal: a move is refused before its switch when the copy differs from the source, or the books of either have a defect, wherever that is; the source
 * serves on. A move without a fault keeps the answers under idempotency keys. Method: faults are planted behind the back of both servers at the
 * steps of moves, also in rows that came after the comparison before the fence; then the cell moves, and requests are repeated at the target.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { openMovedBooks } from '../../src/cli/cell-books.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { startWorker } from '../../src/resolvers/engine/run-jobs.ts';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { migrate } from '../../src/store/migration/migrate.ts';
import { type MovedBooks, type MoveStep, moveCell } from '../../src/store/migration/move-cell.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startApp } from '../support/app.ts';
import { queryAt, startLogicalPostgres } from '../support/logical-postgres.ts';
import type { MortalPostgres } from '../support/mortal-postgres.ts';
import { untilPaid } from '../support/trading.ts';

const LONG_MS = 1_200_000;
let source: MortalPostgres;
let target: MortalPostgres;
let key = '';
let before: readonly Answer[];

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

beforeAll(async () => {
  [source, target] = await Promise.all([startLogicalPostgres(), startLogicalPostgres()]);
  await migrate(source.url, 'public');
  before = await withGateway(source, async (baseUrl) => {
    const answers = await keyedAnswers(baseUrl);
    const { end2end } = JSON.parse(answers[0]?.text ?? '{}');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ scenario: 'pay', end2end });
    await fetch(`${baseUrl}/v2/sandbox/trigger`, { method: 'POST', headers, body });
    await untilPaid(
      async (text, values) => ({ rows: (await queryAt(source.url, text, values)) as { step: string }[] }),
      [end2end],
    );
    return answers;
  });
}, LONG_MS);
afterAll(async () => {
  await source?.remove();
  await target?.remove();
}, LONG_MS);

/** Runs work on a gateway of a server. */
async function withGateway<Result>(
  { url }: MortalPostgres,
  work: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(url);
  await database.readClock();
  if (key === '') {
    const accountId = await provisionSandbox(database, REGISTRY);
    const named = { name: 'caller', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
    key = (await createKey(database, accountId, named)).apiKey;
  }
  const app = await startApp(database);
  const worker = startWorker(app.services, pino({ level: 'silent' }));
  try {
    return await work(app.publicUrl);
  } finally {
    await app.close();
    await worker.stop();
    await database.close();
  }
}

/** Requests under idempotency keys: an onramp, an order that is refused by a rule, and an onramp of GraphQL. */
async function keyedAnswers(baseUrl: string): Promise<Answer[]> {
  const send = async (path: string, body: object, idempotencyKey?: string): Promise<Answer> => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const isReplayed =
      answer.headers.get('idempotent-replayed') === 'true' || text.includes('"replayed":true');
    return {
      status: answer.status,
      // A problem names its own request, and a kept answer the address of the gateway that gave it.
      text: text
        .replace('"replayed":true', '"replayed":false')
        .replace(/"request_id":"[^"]*"/, '"request_id":""')
        .replace(/http:\/\/127\.0\.0\.1:\d+/g, ''),
      isReplayed,
    };
  };
  const client = { client_name: 'Ana', client_tax_id: '52998224725' };
  const input = {
    ...{ amount: { brl: '30' }, currency: 'USDT_TRX', idempotencyKey: 'moved-graphql' },
    ...{ clientName: 'Ana', clientTaxId: '52998224725' },
  };
  const query = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) {
    transaction { end2end createdAt } replayed errors { code } } }`;
  return [
    await send(
      '/v2/onramp',
      { amount_payment: 10, currency_exit_received_code: 'USDT_TRX', ...client },
      'moved',
    ),
    await send(
      '/v2/onramp',
      { amount_payment: 99_999_999, currency_exit_received_code: 'USDT_TRX', ...client },
      'moved-refused',
    ),
    await send('/graphql', { query, variables: { input } }),
  ];
}

const at = (server: MortalPostgres, text: string) => queryAt(server.url, text);
/** As replication writes, without triggers of the schema that are not ALWAYS. */
const plant = (server: MortalPostgres, text: string) =>
  at(server, `set session_replication_role = replica; ${text}`);

/** Waits until the target has something. */
async function untilCopied(condition: string): Promise<void> {
  for (;;) {
    const [row] = await at(target, `select (${condition}) as ok`);
    if (row?.ok) return;
    await sleep(100);
  }
}

/** Moves the cell. @param plants - called before the verification of that name, the n-th of it. @returns its steps, and the refusal. */
async function move(plants: (verification: string) => Promise<unknown> = async () => {}) {
  const steps: MoveStep[] = [];
  const both = {
    source: { url: source.url, schema: 'public' },
    target: { url: target.url, schema: 'public' },
  };
  const books = openMovedBooks(both, () => {});
  let rests = 0;
  const watched: MovedBooks = {
    verify: async (side) => {
      const defects = await books.verify(side);
      await plants(side);
      return defects;
    },
    verifyRest: async () => {
      rests += 1;
      const defects = await books.verifyRest();
      await plants(`rest ${rests}`);
      return defects;
    },
  };
  try {
    const moved = await moveCell({
      ...{ ...both, code: '', reachedAt: source.url, books: watched, onEnded: () => {} },
      onStep: (step, progress) => void (progress ?? steps.push(step)),
    });
    return { steps, moved, refusal: '' };
  } catch (error) {
    return { steps, refusal: (error as Error).message };
  } finally {
    await books.close();
  }
}

async function expectServing(): Promise<void> {
  expect(await at(source, 'select state, epoch::int from cell')).toEqual([{ state: 'serving', epoch: 1 }]);
  expect(await at(source, `select tgname from pg_trigger where tgname = 'cell_fence'`)).toEqual([]);
  expect(await at(source, 'select slot_name from pg_replication_slots')).toEqual([]);
  expect(await at(target, 'select state from cell')).not.toEqual([{ state: 'serving' }]);
}

test(
  'books of the source with a defect are refused before anything is copied',
  async () => {
    const [balance] = await at(
      source,
      'select account_id, ledger_account_id from ledger_balance where last_seq > 0 order by 1, 2 limit 1',
    );
    const where = `where (account_id, ledger_account_id) = (${balance?.account_id}, ${balance?.ledger_account_id})`;
    await plant(source, `update ledger_balance set last_seq = last_seq + 1 ${where}`);
    const { steps, refusal } = await move();
    expect(refusal).toMatch(
      /^the books of the source have defects: 1, the first: account \d+, ledger account -?\d+, at \d+: balance differs/,
    );
    expect(steps).toEqual(['checked']);
    expect(await at(source, 'select state from cell')).toEqual([{ state: 'serving' }]);
    await plant(source, `update ledger_balance set last_seq = last_seq - 1 ${where}`);
  },
  LONG_MS,
);

test(
  'rows that are missing, changed and too many in the copy are refused before the fence',
  async () => {
    const { steps, refusal } = await move(async (verification) => {
      if (verification !== 'target') return;
      await plant(target, `delete from list_outcome where ctid = (select min(ctid) from list_outcome)`);
      await plant(
        target,
        `update transaction set external_code = 'other' where ctid = (select min(ctid) from transaction)`,
      );
      await plant(target, `insert into list_pix values (1, 'onramps', 'E0', 1)`);
    });
    expect(steps).toEqual(['checked', 'verified', 'prepared', 'copied']);
    expect(refusal).toContain('list_outcome lacks 1 rows in the target, has 0 others and 0 too many');
    expect(refusal).toContain('transaction lacks 0 rows in the target, has 1 others and 0 too many');
    expect(refusal).toContain('list_pix lacks 0 rows in the target, has 0 others and 1 too many');
    await expectServing();
  },
  LONG_MS,
);

test(
  'rows that came after the first comparison, and are wrong in the copy, are refused before the switch',
  async () => {
    const { steps, refusal } = await move(async (verification) => {
      if (verification !== 'rest 2') return;
      await plant(
        source,
        `insert into deposit_index values ('late 1'), ('late 2'), ('late 3'); delete from deposit_index where chain = 'late 3'`,
      );
      await untilCopied(`(select count(*) = 2 from deposit_index where chain like 'late%')`);
      await plant(
        target,
        `delete from deposit_index where chain = 'late 1'; update deposit_index set next = 5 where chain = 'late 2';
         insert into deposit_index values ('late 3')`,
      );
    });
    expect(steps).toEqual(['checked', 'verified', 'prepared', 'copied', 'prechecked', 'fenced', 'caught up']);
    expect(refusal).toContain('deposit_index lacks 1 rows in the target, has 1 others and 1 too many');
    await expectServing();
    await plant(source, `delete from deposit_index where chain like 'late%'`);
  },
  LONG_MS,
);

test(
  'a defect of the books that came after their verification is refused before the switch',
  async () => {
    const [{ account } = {}] = await at(source, 'select min(account_id) as account from ledger_line');
    expect(account).toBeDefined();
    const { steps, refusal } = await move(async (verification) => {
      if (verification !== 'rest 2') return;
      await plant(
        source,
        `update account_head set journal_id = journal_id + 1 where account_id = ${account};
         insert into journal (account_id, id, ref, request_hash, name, posted_at, line_count)
           select account_id, journal_id, 'planted', '', 'planted', now(), 2 from account_head where account_id = ${account}`,
      );
    });
    expect(steps).toEqual(['checked', 'verified', 'prepared', 'copied', 'prechecked', 'fenced', 'caught up']);
    expect(refusal).toContain(`the books of the copy have defects: 1, the first: account ${account}, at`);
    await expectServing();
    await at(
      source,
      `begin; alter table journal disable trigger append_only; delete from journal where ref = 'planted';
       alter table journal enable always trigger append_only; update account_head set journal_id = journal_id - 1 where account_id = ${account}; commit`,
    );
  },
  LONG_MS,
);

test(
  'C-52: a key that was acknowledged before a move gets the same answer after it, over REST and GraphQL',
  async () => {
    expect(before.map(({ status, isReplayed }) => [status, isReplayed])).toEqual([
      [201, false],
      [422, false],
      [200, false],
    ]);
    const { refusal, moved } = await move();
    expect([refusal, moved?.epoch]).toEqual(['', 2n]);
    const count = 'select count(*)::int as count from transaction';
    const counted = await at(target, count);
    const after = await withGateway(target, keyedAnswers);
    expect(after).toEqual(before.map((each) => ({ ...each, isReplayed: true })));
    expect(await at(target, count)).toEqual(counted);
  },
  LONG_MS,
);
