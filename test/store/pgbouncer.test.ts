/**
 * Goal: behind PgBouncer the gateway works, or says in one line why not. Method: PgBouncer before the test's PostgreSQL,
 * once in each mode. Skipped where there is no PgBouncer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { openStore } from '../../src/compose/open-store.ts';
import { StoreError } from '../../src/store/connection/check-server.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Statement, Tx } from '../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { isInstalled } from '../support/installed.ts';
import { startProxy, through } from '../support/proxy.ts';

const store = useDatabase();
const folders: string[] = [];
let bouncer: ChildProcess | undefined;

const isThere = isInstalled('pgbouncer');

afterEach(async () => {
  const ended = bouncer && new Promise((resolve) => bouncer?.once('exit', resolve));
  bouncer?.kill('SIGINT');
  await ended;
  bouncer = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** @returns the URL of the test's database behind a PgBouncer in this mode. */
async function behind(mode: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(store.url);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  folders.push(folder);
  chmodSync(folder, 0o755);
  const listen = await freePort();
  const name = pathname.slice(1);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  // It refuses to run as root.
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const uid = process.getuid?.() === 0 ? Number(nobody?.split(':')[2]) : undefined;
  bouncer = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...(uid && { uid }) });
  const url = `postgres://${username}:any@127.0.0.1:${listen}/${name}`;
  await expect.poll(() => connects(url)).toBe(true);
  return url;
}

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function open(databaseUrl: string) {
  const { home, remove } = newHome();
  remove();
  return openStore({ home, databaseUrl, databaseConnections: 4 });
}

test.skipIf(!isThere)(
  'in session mode the gateway works as its restricted role, on every connection',
  async () => {
    const opened = await open(await behind('session'));
    try {
      const asked = Array.from({ length: 4 }, () =>
        opened.database.withTx((tx) =>
          tx.query(
            {
              name: 'role_of_test',
              text: `select current_user::text as role, current_setting('timezone') as zone`,
            },
            [],
          ),
        ),
      );
      for (const [row] of await Promise.all(asked))
        expect(row).toEqual({ role: 'crossramp_app', zone: 'UTC' });
      expect(await prismaOf(opened.database).account.count()).toBe(0);
    } finally {
      await opened.close();
    }
  },
);

test.skipIf(!isThere).each(['transaction', 'statement'])('%s mode is refused in one line', async (mode) => {
  const refused = open(await behind(mode));
  await expect(refused).rejects.toThrow(StoreError);
  await expect(refused).rejects.toThrow(
    /^the database is behind a pooler that [^\n]*pool_mode = session[^\n]*$/,
  );
});

test.skipIf(!isThere)(
  'C-51: a lost connection costs nothing to the one that gets its slot at the server next',
  async () => {
    const url = await behind('session');
    const proxy = await startProxy(Number(new URL(url).port));
    // The server sets them no limit: none ends by itself.
    const far = openDatabase(through(proxy, url), { connections: 1, patient: true });
    const near = openDatabase(url, { connections: 1, patient: true });
    const BACKEND: Statement = { name: 'backend_of_test', text: 'select pg_backend_pid() as pid' };
    const backendOf = async (asker: Tx) => (await asker.query<{ pid: number }>(BACKEND, []))[0]?.pid;
    /** The pooler has noticed that its client is gone, and gives the backend to the next one. */
    const isFree = `select from pg_stat_activity where pid = $1 and state = 'idle' and query = 'DISCARD ALL'`;
    const isAlive = 'select from pg_stat_activity where pid = $1';
    const count = async (text: string, pid?: number) => (await store.owner.query(text, [pid])).rowCount;
    try {
      const before = await backendOf(far);
      // Answers are lost, and so is the first try to end what was lost.
      proxy.fail('drop', 'down');
      await expect(backendOf(far)).rejects.toSatisfy(isDatabaseUnreachable);
      await expect.poll(() => count(isFree, before)).toBe(1);
      const after = await near.withTx(async (tx) => {
        const mine = await backendOf(tx);
        proxy.heal();
        // Lost after the first, and ended with it or after it.
        let second: number | undefined;
        const lost = far.withTx(async (farTx) => {
          second = await backendOf(farTx);
          proxy.silence();
          await backendOf(farTx);
        });
        await expect(lost).rejects.toSatisfy(isDatabaseUnreachable);
        await expect.poll(() => count(isAlive, second)).toBe(0);
        expect(await backendOf(tx)).toBe(mine);
        return mine;
      });
      expect(after).toBe(before);
    } finally {
      proxy.heal();
      await Promise.all([far.close(), near.close()]);
      await proxy.close();
    }
  },
);
