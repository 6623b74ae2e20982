/**
 * Goal: the two commands of the README and every command of the CLI do what they say, for someone who has just cloned
 * the repository. Method: real processes in new home folders, with the embedded server, as a person would start them.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../src/base/access/api-key.ts';
import type { RailPlan } from '../src/compose/rails-file.ts';
import { readStartOptions, refuseOutsideRails } from '../src/start-options.ts';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { databaseUrl, withAdmin } from './support/global-setup.ts';
import { newHome } from './support/home.ts';
import { crossramp, failToStart, launch, type Running, start } from './support/process.ts';
import { eventually } from './support/receiver.ts';
import { HISTORY } from './support/sandbox.ts';

const FILE = 'docs/examples/history.ndjson';
const shell = promisify(execFile);
/** Settings of a start that does not wait for its database. */
const PARALLEL_MAX = { PORT: '0', START_WAIT: '0' };

/** A way to the database on which connections break, or nothing passes any more, or no more are taken, when these words are sent. */
async function cutAt(words: string, url: URL, how: 'cut' | 'silent' | 'closed' = 'cut'): Promise<Server> {
  const { hostname, port } = url;
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname).on('error', () => {});
    near.on('error', () => {}).on('close', () => far.destroy());
    near.on('data', (chunk) => {
      if (!chunk.includes(words)) return void far.write(chunk);
      if (how === 'cut') near.destroy();
      if (how === 'silent') near.pause();
      if (how !== 'closed') return;
      proxy.close();
      far.write(chunk);
    });
    far.pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

describe('a first start', () => {
  const { home, remove } = newHome();
  const env = { CROSSRAMP_HOME: home };
  let running: Running;

  beforeAll(async () => {
    running = await start({ ...env, HEADERS_TIMEOUT: '1', CONNECTIONS_PER_ADDRESS: '40' });
  });
  afterAll(async () => {
    await running.end('SIGTERM');
    remove();
  });

  test('ends connections beyond those of an address, and headers that do not arrive, as its settings say', async () => {
    const answerOf = (socket: Socket) => {
      let got = '';
      socket.setEncoding('utf8').on('data', (text) => (got += text));
      socket.on('error', () => {}).write('GET /healthz HTTP/1.1\r\n');
      return new Promise<string>((resolve) => {
        // Before the default time for headers has passed.
        socket
          .setTimeout(8_000, () => socket.destroy(new Error('nothing came')))
          .on('close', () => resolve(got));
      });
    };
    const { port } = new URL(running.baseUrl);
    const sockets = Array.from({ length: 50 }, () => connect({ host: '127.0.0.1', port: Number(port) }));
    const answers = await Promise.all(sockets.map(answerOf));
    const slow = answers.filter((each) => each.startsWith('HTTP/1.1 408 '));
    const closed = answers.filter((each) => each === '');
    expect(slow.length).toBeGreaterThan(0);
    expect(slow.length).toBeLessThanOrEqual(40);
    expect(slow.length + closed.length).toBe(50);
  });

  test('reports each part that takes seconds, one line each', () => {
    expect(running.banner).toMatch(
      /^Creating the embedded database …\nStarting the embedded database …\nApplying \d+ migrations …\n\nCrossramp Gateway is ready\n/,
    );
  });

  test('writes sandbox.json, readable by its owner only', () => {
    const sandbox = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    expect(sandbox).toEqual({
      baseUrl: running.baseUrl,
      graphqlUrl: `${running.baseUrl}/graphql`,
      apiKey: expect.stringMatching(/^crx_test_/),
      platformKey: expect.stringMatching(/^crx_test_/),
      accountId: expect.stringMatching(/^\d+$/),
    });
    expect(statSync(join(home, 'sandbox.json')).mode & 0o777).toBe(0o600);
  });

  test('the history is imported beside the running gateway, read back, exported, and verified', async () => {
    const imported = await crossramp(env, 'import', FILE, '--account', 'sandbox', '--json');
    expect(JSON.parse(imported.stdout)).toEqual({
      transactions: { taken: 9, known: 0 },
      entries: { taken: 14, known: 0 },
    });
    const header = {
      authorization: readFileSync(join(home, 'sandbox.header'), 'utf8')
        .trim()
        .replace(/^Authorization: /, ''),
    };
    const statement = await (await fetch(`${running.baseUrl}/v2/statement`, { headers: header })).json();
    expect(statement.total).toBe(14);
    const exported = await crossramp(env, 'export', '--account', 'sandbox');
    const records = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const sorted = (text: string) =>
      records(text).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(sorted(exported.stdout)).toEqual(sorted(HISTORY));
    const verified = await crossramp(env, 'verify', '--json');
    expect(JSON.parse(verified.stdout)).toEqual({ checked: 28, defects: [] });
    expect(verified.code).toBe(0);
  });

  test('C-40: sandbox.json has a key for everything that an account may do, and one for everything that the operator may', async () => {
    const { apiKey, platformKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    const scopesOf = async (key: string) => {
      const answer = await fetch(`${running.baseUrl}/graphql?query={viewer{key{scopes}}}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return (await answer.json()).data.viewer.key.scopes;
    };
    expect(await scopesOf(apiKey)).toEqual(SCOPES);
    expect(await scopesOf(platformKey)).toEqual(['read', 'admin', ...PLATFORM_SCOPES]);
    expect(running.banner).not.toContain(platformKey);
  });

  test('C-40: `person link --json` prints a link of localhost that signs in by one click; a pipe gets none at the start', async () => {
    expect(running.banner).toMatch(
      /Console +\S+\/console +\(sign in by a link: npm run -s crossramp -- person link /,
    );
    const { stdout } = await crossramp(env, 'person', 'link', '--json');
    const { url: printed } = JSON.parse(stdout);
    expect(new URL(printed).hostname).toBe('localhost');
    const page = await fetch(printed);
    const [cookie = ''] = page.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
    const entered = await fetch(printed, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ csrf }),
    });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/console']);
    const session = entered.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
    // Over plain http the cookie has no prefix.
    expect(session.join(' ')).toMatch(/(^| )session=/);
    const today = await fetch(`${running.baseUrl}/console`, { headers: { cookie: session.join('; ') } });
    expect([today.status, await today.text()]).toEqual([200, expect.stringContaining('data-live="needs"')]);
  });

  test('prints no key to a pipe, but steps whose curl lines work when pasted', async () => {
    const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    expect(running.banner).not.toContain(apiKey);
    const lines = running.banner.split('\n').filter((line) => line.trim().startsWith('curl'));
    expect(lines).toHaveLength(3);
    const answers = [];
    for (const line of lines) {
      const { stdout } = await shell('sh', ['-c', line]);
      expect(JSON.parse(stdout).errors).toBeUndefined();
      expect(JSON.parse(stdout).code).toBeUndefined();
      answers.push(JSON.parse(stdout));
    }
    // The first makes a checkout whose page opens; the others show it.
    const [checkout, list, { data }] = answers;
    expect((await fetch(checkout.payment_link)).status).toBe(200);
    expect(list.results[0].end2end).toBe(checkout.end2end);
    expect(data.transactions.edges[0].node.end2end).toBe(checkout.end2end);
  });

  test('a second gateway of the same home leaves sandbox.json alone, and has a file of its own', async () => {
    const before = readFileSync(join(home, 'sandbox.json'), 'utf8');
    const second = await start(env);
    try {
      expect(second.baseUrl).not.toBe(running.baseUrl);
      expect(second.banner).toContain(`The gateway at ${running.baseUrl} (process ${running.child.pid})`);
      expect(readFileSync(join(home, 'sandbox.json'), 'utf8')).toBe(before);
      const line = second.banner.split('\n').find((each) => each.includes('/v2/crossramp_checkouts'));
      expect(JSON.parse((await shell('sh', ['-c', line ?? ''])).stdout).total).toBeGreaterThan(0);
    } finally {
      await second.end('SIGTERM');
    }
    expect(readFileSync(join(home, 'sandbox.json'), 'utf8')).toBe(before);
    expect(readdirSync(home).filter((name) => name.startsWith('sandbox'))).toEqual([
      'sandbox.header',
      'sandbox.holder',
      'sandbox.json',
    ]);
  });

  test('a port in use gives one clear line and a failure, and leaves the running gateway alone', async () => {
    const port = new URL(running.baseUrl).port;
    const { code, stderr } = await failToStart({ ...env, PORT: port });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `crossramp: port ${port} of 127.0.0.1 is in use: stop what listens there, or set PORT\n`,
    );
    expect((await fetch(`${running.baseUrl}/readyz`)).status).toBe(200);
  });
});

describe('starting again', () => {
  const { home, remove } = newHome();
  const env = { CROSSRAMP_HOME: home };
  let running: Running;
  let apiKey: string;
  const balance = () =>
    fetch(`${running.baseUrl}/v2/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
  beforeAll(async () => {
    running = await start(env);
    apiKey = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
  });
  afterAll(async () => {
    await running?.end('SIGKILL');
    remove();
  });

  test.each([
    'SIGTERM',
    'SIGINT',
    'SIGKILL',
  ] as const)('after %s the data is found, and the key of before is valid', async (signal) => {
    const { code } = await running.end(signal);
    expect(code).toBe(signal === 'SIGKILL' ? null : 0);
    running = await start(env);
    expect(running.banner).toMatch(/^\nCrossramp Gateway is ready\n/);
    expect(running.banner).not.toContain(apiKey);
    expect((await balance()).status).toBe(200);
  });

  test('requests under way are answered before the end', async () => {
    const asked = Array.from({ length: 50 }, balance);
    await asked[0];
    const ended = running.end('SIGTERM');
    const statuses = await Promise.allSettled(asked);
    // A connection that was not accepted yet may be refused; none that was is cut off.
    const answered = statuses.flatMap((each) => (each.status === 'fulfilled' ? [each.value.status] : []));
    expect(new Set(answered)).toEqual(new Set([200]));
    expect((await ended).code).toBe(0);
  });

  test('commands work without a running gateway, and stop the database again', async () => {
    const created = await crossramp(env, 'account', 'create', '--name', 'Loja', '--json');
    const { accountId } = JSON.parse(created.stdout);
    const key = JSON.parse(
      (
        await crossramp(
          env,
          'key',
          'create',
          '--account',
          accountId,
          '--scopes',
          'read,create',
          '--expires',
          '30d',
          '--json',
        )
      ).stdout,
    );
    expect(key).toEqual({
      keyId: expect.stringMatching(/^key_/),
      apiKey: expect.stringMatching(/^crx_test_/),
    });
    const list = JSON.parse((await crossramp(env, 'key', 'list', '--account', accountId, '--json')).stdout);
    expect(list).toMatchObject([
      { keyId: key.keyId, scopes: ['read', 'create'], hint: key.apiKey.slice(-4), revokedAt: null },
    ]);
    expect((await crossramp(env, 'key', 'revoke', key.keyId)).code).toBe(0);
    expect((await crossramp(env, 'key', 'revoke', key.keyId)).code).toBe(1);
    expect(() => readFileSync(join(home, 'postgres', 'postmaster.pid'))).toThrow(/ENOENT/);
  });

  test('an account is funded by an adjustment that its statement shows', async () => {
    const { accountId } = JSON.parse(
      (await crossramp(env, 'account', 'create', '--name', 'Funded', '--json')).stdout,
    );
    const funded = await crossramp(
      env,
      'trigger',
      'fund',
      '--account',
      accountId,
      '--currency',
      'USDT (TRX)',
      '--amount',
      '150.000001',
      '--json',
    );
    expect(JSON.parse(funded.stdout)).toEqual({ journalId: '1', currency: 'USDT_TRX', amount: '150.000001' });
    const exported = await crossramp(env, 'export', '--account', accountId);
    expect(JSON.parse(exported.stdout)).toMatchObject({
      id: 1,
      credit: 150.000001,
      debit: 0,
      balance: 150.000001,
      transaction: null,
    });
    expect(JSON.parse((await crossramp(env, 'verify', '--account', accountId, '--json')).stdout)).toEqual({
      checked: 2,
      defects: [],
    });
  });

  test('doctor finds the installation fit', async () => {
    const { code, stdout } = await crossramp(env, 'doctor', '--json');
    expect(JSON.parse(stdout).checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(code).toBe(0);
  });
});

describe('the options of a start', () => {
  const NONE = { sandbox: false, demo: false, auto: false };

  test('--help prints the commands, and --version the version', async () => {
    const help = await failToStart({}, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: npm start -- \[options\]/);
    for (const option of ['--sandbox', '--demo', '--auto', '--version'])
      expect(help.stdout).toContain(option);
    const version = await failToStart({}, '--version');
    expect(version).toEqual({ code: 0, stderr: '', stdout: '0.1.0\n' });
  });

  test.each([
    ['--dmeo', /^crossramp: unknown option '--dmeo'\n\(Did you mean --demo\?\)\n/],
    ['demo', /^crossramp: a start accepts only options, got "demo"\n\(Did you mean --demo\?\)\n/],
    ['nonsense', /^crossramp: a start accepts only options, got "nonsense"\n/],
  ])('%s ends the start with the nearest option, the usage and code 2', async (word, said) => {
    const { code, stdout, stderr } = await failToStart({}, word);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(stderr).toContain('Usage: npm start');
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test.each([
    [['--demo'], {}, { ...NONE, demo: true }],
    [[], { npm_config_demo: 'true' }, { ...NONE, demo: true }],
    [['--auto'], {}, { ...NONE, auto: true }],
    [[], { npm_config_auto: 'true' }, { ...NONE, auto: true }],
    [['--sandbox'], {}, { ...NONE, sandbox: true }],
    [[], { npm_config_sandbox: 'true' }, { ...NONE, sandbox: true }],
    [[], {}, NONE],
  ])('%j with the environment %j is %j: npm keeps options before "--" for itself', (words, env, options) => {
    expect(readStartOptions(['node', 'main.ts', ...words], env)).toEqual(options);
  });
});

test('--demo and --auto report that they need the rails of this process', () => {
  const config = { sandboxAuto: false, railsFile: '/etc/rails.json' };
  const plan = { networks: new Map() } as unknown as RailPlan;
  const wired = { ...plan, pix: () => Promise.reject(new Error('is not made')) } as unknown as RailPlan;
  const refused = (demo: boolean, sandboxAuto: boolean, sandbox?: RailPlan) => () =>
    refuseOutsideRails({ demo }, { ...config, sandboxAuto }, sandbox ? { sandbox } : {});
  expect(refused(true, false, wired)).toThrow(
    /^--demo does not work [^\n]*RAILS_FILE \/etc\/rails\.json[^\n]*$/,
  );
  expect(refused(false, true, wired)).toThrow(/^--auto does not work /);
  for (const [demo, auto, sandbox] of [
    [true, true],
    [true, true, plan],
    [false, false, wired],
  ] as const)
    expect(refused(demo, auto, sandbox)).not.toThrow();
});

describe('a start that cannot succeed reports the reason in one line', () => {
  const store = useDatabase();
  /** So that a start has something to apply. It only grants rights: it can be applied again. */
  const forgetMigration = () =>
    store.owner.query(
      `delete from _prisma_migrations where migration_name =
         (select max(migration_name) from _prisma_migrations where migration_name like '%\\_roles')`,
    );

  test('an unreachable database', async () => {
    const port = await freePort();
    const { code, stderr } = await failToStart({
      ...PARALLEL_MAX,
      DATABASE_URL: `postgres://someone:secret@127.0.0.1:${port}/nowhere`,
    });
    expect(stderr).toBe(`crossramp: cannot reach the database nowhere at 127.0.0.1:${port}: ECONNREFUSED\n`);
    expect(code).toBe(1);
  });

  test.each([
    ['is checked', 'server_version_num'],
    ['is migrated', 'pg_try_advisory_lock'],
    ['is filled', 'rate_seed'],
  ])('a database that goes away while it %s', async (_when, words) => {
    const { code, stderr } = await failAt(words, 'cut');
    expect(stderr).toMatch(/^crossramp: [^\n]*Connection terminated unexpectedly\n$/);
    expect(code).toBe(1);
  });

  test.each([
    ['is checked', 'server_version_num'],
    ['is migrated', 'pg_try_advisory_lock'],
  ])('a database that does not answer any more while it %s', async (_when, words) => {
    const { code, stderr } = await failAt(words, 'silent');
    expect(stderr).toMatch(/^crossramp: [^\n]*Query read timeout\n$/);
    expect(code).toBe(1);
  });

  /** Starts on a way to the database that fails when these words are sent. */
  async function failAt(words: string, how: 'cut' | 'silent') {
    await forgetMigration();
    const url = new URL(store.ownerUrl);
    const proxy = await cutAt(words, url, how);
    url.port = String((proxy.address() as AddressInfo).port);
    const { home, remove } = newHome();
    const env = { ...PARALLEL_MAX, CROSSRAMP_HOME: home, DATABASE_URL: url.href, SANDBOX: '1' };
    const ended = await failToStart(env);
    remove();
    proxy.close();
    return ended;
  }

  test('a signal ends the wait for another process that migrates', async () => {
    await forgetMigration();
    const { home, remove } = newHome();
    await withAdmin(store.ownerUrl, async (other) => {
      await other.query('select pg_advisory_lock(7405211)');
      const { child, ended } = launch({ PORT: '0', CROSSRAMP_HOME: home, DATABASE_URL: store.ownerUrl });
      const asked = `select from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory%'`;
      try {
        await eventually('its look', async () => (await other.query(asked)).rows.length > 0, 50_000);
        child.kill('SIGTERM');
        expect(await ended).toMatchObject({ code: 0, stderr: '' });
      } finally {
        child.kill('SIGKILL');
      }
    });
    remove();
  });

  test('a database that cannot be reached any more when its migrations are looked at', async () => {
    await forgetMigration();
    const url = new URL(store.ownerUrl);
    const proxy = await cutAt('rolled_back_at', url, 'closed');
    url.port = String((proxy.address() as AddressInfo).port);
    const { home, remove } = newHome();
    const { code, stderr } = await failToStart({
      ...PARALLEL_MAX,
      CROSSRAMP_HOME: home,
      DATABASE_URL: url.href,
    });
    remove();
    expect(stderr).toMatch(/^crossramp: migration failed: [^\n]*reach[^\n]*\n$/);
    expect(code).toBe(1);
  });

  test('a half-applied migration', async () => {
    const adminUrl = inject('adminUrl');
    const name = 'crossramp_half';
    const url = databaseUrl(adminUrl, name);
    await withAdmin(
      adminUrl,
      async (client) => void (await client.query(`create database ${name} template crossramp_template`)),
    );
    try {
      await withAdmin(url, async (client) => {
        await client.query(
          `update _prisma_migrations set finished_at = null where migration_name like '%_ledger'`,
        );
      });
      const { code, stderr } = await failToStart({ PORT: '0', DATABASE_URL: url });
      expect(stderr).toMatch(/^crossramp: migration \d+_ledger was begun and not finished: [^\n]+\n$/);
      expect(code).toBe(1);
    } finally {
      await withAdmin(
        adminUrl,
        async (client) => void (await client.query(`drop database ${name} with (force)`)),
      );
    }
  });

  test.each([
    ['PORT', 'http', /^crossramp: PORT: expected an integer from 0 to 65535, got http\n$/],
    ['LIMIT_OVERFLOW', 'wrap', /^crossramp: LIMIT_OVERFLOW: expected clamp or reject, got wrap\n$/],
    ['RATE_LIMIT', 'fast', /^crossramp: RATE_LIMIT: expected off, or [^\n]+ got fast\n$/],
    ['DATABASE_URL', 'mysql://x', /^crossramp: DATABASE_URL: expected postgres:[^\n]+\n$/],
    ['DATABASE_URL', 'postgres://u:a%ff@h/db', /^crossramp: DATABASE_URL: expected postgres:[^\n]+\n$/],
  ])('a bad %s', async (name, value, line) => {
    const { code, stderr } = await failToStart({ PORT: '0', [name]: value });
    expect(stderr).toMatch(line);
    expect(code).toBe(1);
  });
});
