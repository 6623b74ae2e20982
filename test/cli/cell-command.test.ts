/**
 * Goal: `crossramp cell` makes, lists and checks cells, and refuses harmful moves. Method: the command, on
 * two databases.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';

const LONG_MS = 400_000;
const store = useDatabase();
const other = useDatabase();
const { home, remove } = newHome();
afterAll(remove);

const env = () => ({ CROSSRAMP_HOME: home, DATABASE_URL: store.url, DATABASE_OWNER_URL: store.ownerUrl });
const run = (...args: string[]) => command(env(), 'cell', ...args);

test(
  'create assigns a code to a schema, which list and verify show',
  async () => {
    const made = await run('create', 'a1', '--json');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toEqual({ cell: 'a1', epoch: '1' });
    await command(env(), 'account', 'create', '--name', 'Shop');
    const [listed] = JSON.parse((await run('list', '--json')).stdout);
    expect(listed).toMatchObject({ cell: 'a1', state: 'serving', epoch: '1' });
    expect(listed.place).not.toContain('@');
    const checked = await run('verify');
    expect(checked, checked.stdout).toMatchObject({ code: 0 });
    const again = await run('create', 'b2');
    expect(again).toMatchObject({ code: 1, stderr: 'crossramp: CELL: the schema is cell a1, not b2\n' });
  },
  LONG_MS,
);

test(
  'a cell on several hosts is listed and checked at its primary',
  async () => {
    const closed = await freePort();
    const several = (url: string) => url.replace(/@([^/]+)\//, `@127.0.0.1:${closed},$1/`);
    const onSeveral = {
      ...env(),
      DATABASE_URL: several(store.url),
      DATABASE_OWNER_URL: several(store.ownerUrl),
    };
    const listing = await command(onSeveral, 'cell', 'list', '--json');
    expect(listing, listing.stderr).toMatchObject({ code: 0 });
    const [listed] = JSON.parse(listing.stdout);
    expect(listed).toMatchObject({ cell: 'a1', state: 'serving' });
    expect(listed.place).toMatch(new RegExp(`^127\\.0\\.0\\.1:${closed},`));
    const checked = await command(onSeveral, 'cell', 'verify');
    expect(checked, checked.stderr).toMatchObject({ code: 0 });
  },
  LONG_MS,
);

test(
  'verify names accounts of another cell, and identifiers that another cell issues',
  async () => {
    await store.owner.query(`insert into account (id, name, mode) values (7, 'Stranger', 'sandbox')`);
    await store.owner.query(`select setval(pg_get_serial_sequence('rail_news', 'id'), 5)`);
    const { code, stdout } = await run('verify');
    expect(code).toBe(1);
    expect(stdout).toContain('FAIL  numbers: rail_news_id_seq give out numbers of another cell');
    expect(stdout).toContain('FAIL  accounts: of another cell: 7');
  },
  LONG_MS,
);

test(
  'a move to the same server, from another cell, or onto accounts is refused, and the source continues to serve',
  async () => {
    const file = join(home, 'target-url');
    writeFileSync(file, other.ownerUrl);
    const wrong = await run('move', 'zz', '--to-file', file);
    expect(wrong.stderr).not.toBe('');
    const same = await run('move', 'a1', '--to-file', file);
    expect(same.code).toBe(1);
    expect(same.stderr).toMatch(
      /^crossramp: (the source has wal_level = replica|both are on the same server)/,
    );
    const missing = await run('move', 'a1', '--to-file', join(home, 'nowhere'));
    expect(missing.stderr).toBe(`crossramp: cannot read ${join(home, 'nowhere')} (ENOENT)\n`);
    const { rows } = await store.owner.query('select state from cell');
    expect(rows).toEqual([{ state: 'serving' }]);
  },
  LONG_MS,
);

test.each([
  [['create', 'A1'], 'expected first, or two characters of a-z and 0-9 other than 00'],
  [['routes', '--nginx', '--to', 'a1'], 'expected a cell and its gateways, such as a1=10.0.0.5:4000'],
  [['routes', '--nginx', '--to', 'a1=10.0.0.5:4000;x'], 'expected a cell and its gateways'],
  [['routes', '--to', 'a1=10.0.0.5:4000'], 'expected one of --nginx, --haproxy and --envoy'],
])(
  'cell %j names the accepted values',
  async (args, words) => {
    const { code, stderr } = await run(...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(words);
  },
  LONG_MS,
);
