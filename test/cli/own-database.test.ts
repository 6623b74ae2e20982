/**
 * Goal: `doctor` reports a database that does not answer as such, and blames no rail. Method: a database whose
 * connections are all in use; `doctor` on a database behind a proxy that becomes slow when a rail is checked.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOwnDatabase } from '../../src/cli/own-database.ts';
import { createAuthority, issue } from '../../src/psp/ca.ts';
import { describeFailure } from '../../src/server/process/describe-failure.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { startProxy, through } from '../support/proxy.ts';

const store = useDatabase();
const SLEEP = { name: 'sleep_of_doctor', text: 'select pg_sleep($1)::text' };

test('a time-out of its own connection is reported as that of the database', async () => {
  const narrow = openDatabase(store.url, { connections: 1 });
  try {
    const busy = narrow.query(SLEEP, [4]);
    const late = [createOwnDatabase().watch(narrow), narrow].map((each) =>
      each.query(SLEEP, [0]).catch((error: unknown) => error),
    );
    const [own, plain] = await Promise.all(late);
    expect(describeFailure(own)).toContain('the gateway’s own database did not answer');
    expect(describeFailure(plain)).toMatch(/^the database did not answer in time: /);
    await busy;
  } finally {
    await narrow.close();
  }
});

test('other failures stay unchanged', async () => {
  const refused = createOwnDatabase().watch(store.database).query({ name: '', text: 'select 1 / 0' }, []);
  await expect(refused).rejects.toMatchObject({ code: '22012' });
});

/** @returns the port of a provider that runs the function and then ends each connection. */
async function startProvider(whenCalled: () => void): Promise<number> {
  const provider = createServer((socket) => {
    whenCalled();
    socket.destroy();
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  onTestFinished(() => void provider.close());
  return (provider.address() as AddressInfo).port;
}

/** @returns settings of a PIX rail at the provider, with screening off. */
function writeRailsFile(port: number): string {
  const { home, remove } = newHome();
  onTestFinished(remove);
  const authority = createAuthority('Bank');
  const { certificate, key } = issue(authority, { name: 'gateway' });
  const files = { 'cert.pem': certificate, 'key.pem': key, 'ca.pem': authority.certificate, secret: 'x' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const url = `https://127.0.0.1:${port}`;
  const pix = {
    ...{ kind: 'api-pix', url, tokenUrl: url, clientId: 'x', clientSecretFile: 'secret', caFile: 'ca.pem' },
    ...{ certificateFile: 'cert.pem', keyFile: 'key.pem', pixKey: 'key@example.com', ispb: '12345678' },
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, JSON.stringify({ live: { pix, identity: 'off', screening: 'off' } }));
  return file;
}

test('doctor reports a slow database as such, and no failed rail', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  onTestFinished(proxy.close);
  const port = await startProvider(() => proxy.fail('delay'));
  const env = { DATABASE_URL: through(proxy, store.url), RAILS_FILE: writeRailsFile(port) };
  const { code, stdout, stderr } = await command(env, 'doctor');
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(
    /^FAIL {2}database: not checked: the gateway’s own database did not answer in time \(.*\); this concerns live pix: answer$/m,
  );
  expect(stdout).not.toMatch(/^FAIL {2}live /m);
  expect(stdout).toMatch(/^ok {4}live screening: off/m);
}, 120_000);
