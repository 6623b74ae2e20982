/**
 * Goal: an operator looks up a name, reads the lists and decides about hits on the command line; an old or refused list
 * fails `doctor`. Method: the commands with a settings file, on the database of a gateway.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { age, LIST_FILES, listFolderOf } from '../support/screening-lists.ts';

const app = useApp();
const folder = listFolderOf();
const railsFile = join(folder, 'rails.json');
const env = () => ({ DATABASE_URL: app.url, RAILS_FILE: railsFile });
const screening = (...args: string[]) => command(env(), 'screening', ...args, '--json');

beforeAll(() => {
  const lists = ['ofac', 'un', 'ceis', 'cnep', 'pep', 'own'];
  writeFileSync(railsFile, JSON.stringify({ sandbox: { screening: { kind: 'lists', folder: '.', lists } } }));
});

test('a look-up of a name raises no hit', async () => {
  const { code, stdout } = await screening('check', '--name', 'Gonçalves Muller João Antonio');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    [expect.objectContaining({ list: 'ofac', entry: '20001', strength: 'strong', answer: 'frozen' })],
  ]);
  expect(JSON.parse((await screening('hits', '--state', 'all')).stdout)).toEqual([]);
}, 60_000);

test.each([
  [['--live', '--name', 'João Müller'], /no screening of live accounts is configured/],
  [['--country', 'BR'], /name, tax id or address/],
])(
  'a look-up that compares nothing (%j) is refused',
  async (args, reason) => {
    const { code, stderr } = await screening('check', ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  },
  60_000,
);

test('a hit is listed with its tax id masked, and decided once, with a reason', async () => {
  await app.owner.query(
    `insert into screening_hit (mode, account_id, role, subject, tax_id, list, entry, entry_name, score, strength, answer, list_version, raised_at)
     values ('sandbox', $1, 'customer', 'x', '52998224725', 'own', '1', 'Ana', 1, 'exact', 'held', 'v', now())`,
    [app.accountId],
  );
  const [hit] = JSON.parse((await screening('hits')).stdout);
  expect(hit).toMatchObject({
    list: 'own',
    state: 'open',
    taxId: '***.982.247-**',
    account: String(app.accountId),
  });
  expect((await screening('dismiss', hit.id)).code).toBe(2);
  const decided = await screening('dismiss', hit.id, '--reason', 'another person, case 4711');
  expect([decided.code, JSON.parse(decided.stdout)]).toEqual([
    0,
    expect.objectContaining({ state: 'dismissed' }),
  ]);
  expect((await screening('confirm', hit.id, '--reason', 'x')).code).toBe(1);
}, 60_000);

test('an old list, and one whose new file is refused, fail doctor, which names them', async () => {
  expect(JSON.parse((await screening('lists')).stdout)).toHaveLength(6);
  age(folder, 'consolidated.xml', 9);
  writeFileSync(join(folder, 'SDN.CSV'), '"1","TRUNC');
  const failing = async () => {
    const { code, stdout } = await command(env(), 'doctor', '--json');
    const checks: { ok: boolean; check: string }[] = JSON.parse(stdout).checks;
    const failed = checks.filter(({ ok, check }) => !ok && check.startsWith('sandbox screening: list '));
    return [code, failed.map(({ check }) => check.split(' ').at(-1))];
  };
  expect(await failing()).toEqual([1, ['ofac', 'un']]);
  for (const name of Object.keys(LIST_FILES)) age(folder, name, 9);
  expect(await failing()).toEqual([1, ['ofac', 'un', 'ceis', 'cnep', 'pep']]);
}, 240_000);
