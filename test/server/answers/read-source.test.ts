/**
 * Goal: a standby costs no caller an answer or its time, and answers nothing that is older than what it claims (decision 0088). Method: the real
 * choice of the server, on databases that raise real errors and have marks of a chosen age.
 */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readSource } from '../../../src/server/answers/read-source.ts';
import { unreadyReason } from '../../../src/server/http/health.ts';
import type { Exchange } from '../../../src/server/http/http.ts';
import { versionReader } from '../../../src/store/account/account-version.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { ReadReplicas } from '../../../src/store/account/read-replicas.ts';
import { standbyBehindMs } from '../../../src/store/account/standby.ts';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import type { Database, Statement } from '../../../src/store/connection/database.ts';
import { useDatabase } from '../../support/database.ts';

const stores = useDatabase();
let accountId: bigint;
beforeAll(async () => {
  accountId = await createAccount(stores.database, 'Loja', { templates: [], mode: 'sandbox' });
});

const exchange = (version?: bigint) =>
  ({
    request: {
      headers: version === undefined ? {} : { 'crossramp-version': String(version).padStart(19, '0') },
    },
  }) as unknown as Exchange;

const statement = (text: string): Statement => ({ name: `test_${text.length}`, text });
/** Work on a standby that ends in an error of the server, or late. */
const TROUBLES: readonly (readonly [string, boolean, (database: Database) => Promise<unknown>])[] = [
  [
    'the time limit of a statement (57014)',
    true,
    (database) =>
      database.withTx(async (tx) => {
        await tx.query(statement(`select set_config('statement_timeout', '20', true)`), []);
        return tx.query(statement('select pg_sleep(5)'), []);
      }),
  ],
  [
    'the time limit of a lock (55P03)',
    true,
    (database) => database.query(statement(`do $$ begin raise lock_not_available; end $$`), []),
  ],
  ['no answer', false, (database) => database.query(statement('select pg_sleep(5)'), [])],
];

describe('the primary answers what a standby ends with', () => {
  test.each(TROUBLES)(
    '%s',
    async (_, isRefused, onStandby) => {
      const standby = openDatabase(stores.url);
      const setAside: string[] = [];
      const replica = {
        database: standby,
        versionOf: versionReader(standby),
        setAside: () => setAside.push('aside'),
      };
      const replicas = { next: () => replica } as unknown as ReadReplicas;
      const source = readSource({ database: stores.database, readsOnly: false }, replicas);
      let hasEnded = false;
      const read = async (database: Database) => {
        if (database !== standby) return 'primary';
        await onStandby(standby).finally(() => {
          hasEnded = true;
        });
        return 'standby';
      };
      const requested = { exchange: exchange(), accountId, version: undefined };
      expect((await source.prove(requested, read)).result).toBe('primary');
      expect(hasEnded).toBe(isRefused);
      expect(source.counts).toEqual({ primary: 1, replica: 0 });
      await standby.close();
    },
    40_000,
  );
});

describe('a gateway for reads', () => {
  const mark = (text: string) => stores.owner.query(`update readiness_probe set probed_at = ${text}`);
  afterEach(async () => {
    await stores.owner.query('delete from readiness_probe');
    await stores.owner.query(
      `insert into readiness_probe (slot, probed_at) select n, now() from generate_series(0, 15) n`,
    );
  });
  const admit = (version?: bigint) => {
    let checks = 0;
    const check = async () => {
      checks += 1;
    };
    const { admit: admitted } = readSource({ database: stores.database, readsOnly: true }, undefined);
    return admitted(exchange(version), accountId, check).then(
      () => checks,
      (error) => error.message,
    );
  };
  const FAR = 'the standby is too far behind the primary';
  const NOT_READY = 'the standby is too far behind the primary, or no gateway there has REPLICA_URLS';

  test.each([
    ['now()', 1, undefined],
    [`now() + interval '200 ms'`, 1, undefined],
    [`now() - interval '6 s'`, FAR, NOT_READY],
    [`now() + interval '1 minute'`, FAR, NOT_READY],
  ])('with a newest mark of %s', async (at, admitted, reason) => {
    await mark(at);
    expect(await admit(0n)).toBe(admitted);
    const behindMs = await standbyBehindMs(stores.database);
    expect(unreadyReason({ ...READ, behindMs })).toBe(reason);
  });

  const ahead = async () => ((await versionReader(stores.database)(accountId)) ?? 0n) + 1n;

  test('waits for the version that the caller has seen', async () => {
    await mark('now()');
    const admitted = admit(await ahead());
    await stores.owner.query('update account_head set version = version where account_id = $1', [accountId]);
    expect(await admitted).toBe(1);
  });

  test('refuses a version that may still come', async () => {
    await mark('now()');
    expect(await admit(await ahead())).toBe('the standby does not have the version that you have seen yet');
  });

  test('answers a version that a failover lost: whatever was written later is there, and it is not', async () => {
    await mark('now()');
    const marks = setInterval(() => mark('clock_timestamp()').catch(() => {}), 100);
    expect(await admit(await ahead())).toBe(1);
    clearInterval(marks);
  });

  test('without any mark answers nothing', async () => {
    await stores.owner.query('delete from readiness_probe');
    expect(await admit()).toBe(FAR);
    expect(unreadyReason({ ...READ, behindMs: await standbyBehindMs(stores.database) })).toBe(NOT_READY);
  });
});

const READ = { reads: true, writes: false, isReadOnly: false, webhooks: undefined };
