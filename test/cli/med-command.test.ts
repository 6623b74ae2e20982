/**
 * Goal: an operator on call lists the waiting cases of MED, reads one, and answers it, without the console. Method: the
 * commands on a database with a waiting and a decided case.
 */
import { beforeAll, expect, test } from 'vitest';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
let waiting: string;

const run = (...args: string[]) => command({ DATABASE_URL: store.url }, 'med', ...args);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  await provisionSandbox(store.database, REGISTRY);
  const account = await createAccount(store.database, 'Loja Azul', { templates: [], mode: 'sandbox' });
  const { rows } = await store.owner.query(
    `insert into med_case (mode, account_id, kind, reference, pix_e2e, state, opened_at, due_at, updated_at, closed_at)
     values ('sandbox', $1, 'infraction', 'r1', 'E1', 'open', now(), now() + interval '5 hours', now(), null),
            ('sandbox', $1, 'infraction', 'r2', 'E2', 'rejected', now(), now(), now(), now()) returning id`,
    [String(account)],
  );
  waiting = rows[0].id;
});

test('lists cases that wait, or all', async () => {
  expect((await json('list')).map(({ reference }: { reference: string }) => reference)).toEqual(['r1']);
  expect(await json('list', '--all')).toHaveLength(2);
  expect((await run('list', '--live')).stdout).toBe('no cases\n');
});

test('answers a case once, and shows it with its history', async () => {
  expect(await json('show', waiting)).toMatchObject({ id: waiting, state: 'open', answers: [] });
  const answer = ['answer', waiting, '--analysis', 'contest', '--text', 'Delivered on 12 November.'];
  const { stdout, stderr } = await run(...answer);
  expect([stdout, stderr]).toEqual([`the answer to case ${waiting} is on its way\n`, '']);
  const shown = await json('show', waiting);
  expect(shown.answers).toMatchObject([{ analysis: 'contest', body: 'Delivered on 12 November.' }]);
  expect(shown.history.map(({ event }: { event: string }) => event)).toContain('answered');
  expect((await run('show', '999')).stderr).toContain('there is no case 999');
});
