/**
 * Goal: the recipe of docs/backup.md for pgBackRest restores what was acknowledged, and no payout is repeated (decision 0102). Method: a server of Debian's
 * testing suite, archived and backed up by the recipe under a little traffic; a gateway on it with `crossramp psp`; the machine is lost, and restored to a
 * time on another one. It needs root, and a folder with pgBackRest in `PATRONI_ROOT` (docs/reliability.md).
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type BackedUpServer, hasPgBackRest, openBackedUpServers } from '../support/backed-up-servers.ts';
import { freePort } from '../support/free-port.ts';
import { fundAccount } from '../support/fund-account.ts';
import { newHome } from '../support/home.ts';
import { cpfOf, type Heard, query } from '../support/load.ts';
import { begin, crossramp, type Running, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';

const ROOT = process.env.PATRONI_ROOT ?? '';
const isInstalled = hasPgBackRest(ROOT);
const PATIENCE_MS = 120_000;
const CUSTOMERS = 2;

if (!isInstalled)
  process.stdout.write('no pgBackRest in PATRONI_ROOT: its recipe is not tested (docs/reliability.md)\n');

describe.skipIf(!isInstalled)('pgBackRest', () => {
  const place = newHome();
  const ends: (() => unknown)[] = [place.remove];
  let first: BackedUpServer;
  let second: BackedUpServer;
  let controlUrl: string;
  let railsFile: string;
  let gateway: Running;
  let key: string;

  const envOf = ({ url }: BackedUpServer) => ({
    ...{ DATABASE_URL: url, CROSSRAMP_HOME: join(place.home, 'gateway'), RAILS_FILE: railsFile },
    ...{ SANDBOX: '1', RATE_LIMIT: 'off', LOG_LEVEL: 'error' },
  });

  beforeAll(async () => {
    const servers = await openBackedUpServers(ROOT, place.home);
    ends.push(servers.close);
    ({ first, second } = servers);
    await startPsp();
    expect(await crossramp(envOf(first), 'migrate')).toMatchObject({ code: 0 });
    gateway = await start(envOf(first));
    const database = openDatabase(first.url);
    const account = await createAccount(database, 'Loja Azul', {
      templates: REGISTRY.templates.map(({ name }) => name),
    });
    await fundAccount(database, account, { currency: 'USDT_TRX', amount: '1000' });
    const options = { name: 'test', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
    key = (await createKey(database, account, options)).apiKey;
    await database.close();
  }, 600_000);
  afterAll(async () => {
    await gateway?.end('SIGTERM');
    for (const end of ends.toReversed()) await end();
  });

  async function startPsp(): Promise<void> {
    const { child, ended } = begin(
      {},
      ...['psp', '--json', '--home', join(place.home, 'psp')],
      ...['--port', '0', '--control-port', '0', '--callback-port', String(await freePort())],
    );
    ends.push(() => {
      child.kill();
      return ended;
    });
    const [answer] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    ({ controlUrl, railsFile } = JSON.parse(String(answer)));
  }

  /** Sends a request until it is answered: a busy machine may need several. */
  async function call(path: string, body?: object) {
    const idempotencyKey = randomUUID();
    const send = async () => {
      const answer = await query(gateway.baseUrl + path, key, { body, ...(body && { idempotencyKey }) });
      return answer && ![409, 503].includes(answer.status) ? answer : undefined;
    };
    return (await eventually(`an answer of ${path}`, send, PATIENCE_MS)) as Heard;
  }

  let orders = 0;
  async function create(path: string, order: object): Promise<string> {
    orders += 1;
    const answer = await call(path, { client_name: 'Ana Souza', client_tax_id: cpfOf(orders), ...order });
    expect(answer).toMatchObject({ status: 201 });
    return answer.json.end2end;
  }
  const buy = () =>
    create('/v2/onramp', { amount_payment: '20.00', currency_exit_received_code: 'USDT_TRX' });
  const sell = (pixKey: string) =>
    create('/v2/offramp', {
      ...{ amount_paid: '10', currency_entry_paid_code: 'USDT_TRX' },
      ...{ pix_key: pixKey, pix_key_type: 'email' },
    });
  const stateOf = async (end2end: string) => (await call(`/v2/offramp/${end2end}`)).json.state;
  const paidOut = (end2end: string) =>
    eventually(`the payout of ${end2end}`, async () => (await stateOf(end2end)) === 'DONE', PATIENCE_MS);
  const payouts = async () => (await (await fetch(`${controlUrl}/books`)).json()).payouts.length as number;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await crossramp(envOf(second), ...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  /** @returns the cursor after the newest event. */
  async function endOfLog(): Promise<string> {
    for (let after = ''; ; ) {
      const { events, next } = (await call(`/v2/events?limit=100&after=${after}`)).json;
      if (events.length === 0) return after;
      after = next;
    }
  }

  /** Customers who buy until they are stopped. @returns what was acknowledged, with its time. */
  function trade() {
    const made: { readonly end2end: string; readonly answeredMs: number }[] = [];
    let isOver = false;
    const customer = async () => {
      while (!isOver) made.push({ end2end: await buy(), answeredMs: Date.now() });
    };
    const customers = Promise.all(Array.from({ length: CUSTOMERS }, customer));
    // Reported to whoever stops them.
    customers.catch(() => {});
    return {
      made,
      stop: () => {
        isOver = true;
        return customers;
      },
    };
  }

  /** Waits until the log of everything so far is in the repository. */
  async function archived(): Promise<void> {
    const admin = new pg.Client({ connectionString: first.adminUrl });
    await admin.connect();
    const { rows } = await admin.query('select pg_walfile_name(pg_switch_wal()) as file');
    const { file } = rows[0];
    await eventually(
      `${file} in the archive`,
      async () =>
        (await admin.query('select last_archived_wal >= $1 as "isDone" from pg_stat_archiver', [file]))
          .rows[0].isDone === true,
      PATIENCE_MS,
    );
    await admin.end();
  }

  test('a server that was lost is restored to a time by the recipe; acknowledged data are there, and no payout is repeated', {
    timeout: 900_000,
  }, async () => {
    await first.pgbackrest('stanza-create');
    await first.pgbackrest('check');
    const trading = trade();
    await first.pgbackrest('backup', '--type=full');
    await paidOut(await sell('ana@example.com'));
    await first.pgbackrest('backup', '--type=incr');
    const cursorBefore = await endOfLog();
    const made = trading.made.length;
    await eventually('more payments', () => trading.made.length > made, PATIENCE_MS);
    const untilMs = Date.now();
    const unknown = await sell('eva@example.com');
    await paidOut(unknown);
    const lost = await buy();
    await trading.stop();
    const cursorAfter = await endOfLog();
    await archived();
    await gateway.end('SIGKILL');
    await first.kill();

    const target = new Date(untilMs).toISOString().replace('T', ' ').replace('Z', '+00');
    await second.pgbackrest('restore', '--type=time', `--target=${target}`, '--target-action=promote');
    await second.start();
    expect(await crossramp(envOf(second), 'verify')).toMatchObject({ code: 0, stderr: '' });
    const sent = await payouts();
    gateway = await start(envOf(second));

    const before = trading.made.filter(({ answeredMs }) => answeredMs <= untilMs);
    expect(before.length).toBeGreaterThan(0);
    for (const { end2end } of before)
      expect(await call(`/v2/onramp/${end2end}`)).toMatchObject({ status: 200 });
    expect(await call(`/v2/onramp/${lost}`)).toMatchObject({ status: 404 });
    expect(await call(`/v2/offramp/${unknown}`)).toMatchObject({ status: 404 });
    expect(await call(`/v2/events?after=${cursorBefore}`)).toMatchObject({ status: 200 });
    expect(await call(`/v2/events?after=${cursorAfter}`)).toMatchObject({ status: 410 });

    await eventually(
      'a cleared rail',
      async () => (await run('restored', 'rails')).every((each: { clearedAt: unknown }) => each.clearedAt),
      PATIENCE_MS,
    );
    const again = await sell('eva@example.com');
    type Payment = { readonly id: string; readonly destination: string; readonly holds: readonly string[] };
    const held = (await eventually(
      'a held order',
      async () => {
        const found: Payment[] = await run('restored', 'list');
        return found.find(({ holds }) => holds.length > 0);
      },
      PATIENCE_MS,
    )) as Payment;
    expect(held.destination).toBe('eva@example.com');
    expect(await payouts()).toBe(sent);
    await run('restored', 'match', held.id, '--order', held.holds[0] as string);
    await paidOut(again);
    expect(await payouts()).toBe(sent);
    await paidOut(await sell('rui@example.com'));
    expect(await crossramp(envOf(second), 'verify')).toMatchObject({ code: 0 });
  });
});
