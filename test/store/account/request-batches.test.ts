/**
 * Goal: the request log gives back each request as it was, by each of its filters, in its order; and what it writes for a request is
 * little beside what was recorded before. Method: the real database, as the gateway writes and reads it.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { newRequestId } from '../../../src/base/ids/request-id.ts';
import {
  type AnsweredRequest,
  RequestBatch,
  type RequestFilter,
} from '../../../src/store/account/request-batches.ts';
import { countRequests, readRequests } from '../../../src/store/account/request-log.ts';
import { PRUNE_BATCH, pruneBatch } from '../../../src/store/account/retention.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();
const ACCOUNT = 7n;
const AT_MS = Date.UTC(2026, 4, 4, 12, 0, 0, 123);
const ANY: RequestFilter = {
  actorKind: null,
  actorId: null,
  requestId: null,
  end2end: null,
  statusClass: null,
};
const ALL = { after: null, before: null, isNewestFirst: true, limit: 10_000 };

const request = (changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  accountId: ACCOUNT,
  atMs: AT_MS,
  actorKind: 'KEY',
  actorId: 'key_1',
  method: 'GET',
  route: '/v2/onramp/{id}',
  operation: null,
  status: 200,
  durationMs: 3,
  requestId: newRequestId(),
  end2end: null,
  errorCode: null,
  ...changes,
});

async function record(...requests: readonly AnsweredRequest[]): Promise<void> {
  const batch = new RequestBatch();
  for (const each of requests) batch.add(each);
  await batch.write(test.database);
}

const idsOf = async (filter: Partial<RequestFilter>, slice = {}, accountId = ACCOUNT) =>
  (await readRequests(test.database, accountId, { ...ANY, ...filter }, { ...ALL, ...slice })).map(
    ({ requestId }) => requestId,
  );
const countOf = async (table: string) =>
  Number((await test.owner.query(`select count(*) from ${table}`)).rows[0].count);

const pruneRequests = () => pruneBatch(test.database, { kind: 'requests', days: 7, now: new Date() });

/** As if all that was recorded so far had been written eight days ago. */
const grownOld = () => test.owner.query(`update request_batch set until = until - interval '8 days'`);

beforeEach(async () => {
  await test.owner.query('truncate request_batch, request_term');
});

describe('an entry', () => {
  it('names its own key and transaction among those of its batch', async () => {
    const asked = Array.from({ length: 12 }, (_, n) =>
      request({
        actorId: `key_${n % 3}`,
        requestId: `r-${n}`,
        status: n % 4 === 0 ? 404 : 200,
        end2end: n % 5 === 0 ? null : `CRX${n % 2}`,
      }),
    );
    await record(...asked);
    const whose = ({
      requestId,
      actorId,
      end2end,
    }: Pick<AnsweredRequest, 'requestId' | 'actorId' | 'end2end'>) => ({
      requestId,
      actorId,
      end2end,
    });
    const read = await readRequests(test.database, ACCOUNT, ANY, { ...ALL, isNewestFirst: false });
    expect(read.map(whose)).toEqual(asked.map(whose));
    expect(await idsOf({ actorId: 'key_1', end2end: 'CRX1' })).toEqual(['r-7', 'r-1']);
  });

  it('is its own, however little it differs from the one before', async () => {
    const id = newRequestId();
    const base = request({ operation: 'One' });
    const changes: Partial<AnsweredRequest>[] = [
      { requestId: id },
      // Begins as the other does, and is a client's own.
      { requestId: `${id.slice(0, 11)}-mine` },
      // A term of a client's own that all ids of this moment begin with.
      { requestId: id.slice(0, 5) },
      // Of another moment, and then of the first one again.
      { requestId: `${id.slice(0, 10)}${id[10] === 'f' ? '0' : 'f'}${id.slice(11)}` },
      { requestId: `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}` },
      { actorId: 'key_2' },
      { actorKind: 'PAYER' },
      { method: 'POST' },
      { route: '/graphql' },
      { operation: 'Two' },
      { operation: null },
    ];
    const asked = changes.flatMap((change) => [
      { ...base, requestId: newRequestId(), ...change },
      { ...base, requestId: newRequestId() },
    ]);
    await record(...asked);
    const read = await readRequests(test.database, ACCOUNT, ANY, { ...ALL, isNewestFirst: false });
    expect(read).toMatchObject(asked.map(({ accountId: _, atMs: __, ...rest }) => rest));
    for (const { requestId } of asked) expect(await idsOf({ requestId })).toEqual([requestId]);
  });

  it('is read as written, whatever it contains', async () => {
    const odd = request({
      ...{ actorKind: 'PERSON', actorId: 'per_1', method: 'POST', operation: 'One', status: 499 },
      ...{ requestId: 'a-1', end2end: 'São "🐝"\\\t\n{}\\u0000', errorCode: 'NOT_FOUND' },
    });
    await record(odd);
    const [entry] = await readRequests(test.database, ACCOUNT, ANY, ALL);
    const { accountId: _, atMs: __, ...same } = odd;
    expect(entry).toMatchObject({ ...same, at: '2026-05-04 12:00:00.123+00' });
    expect(await idsOf({ end2end: odd.end2end })).toEqual(['a-1']);
  });

  it('loses only characters that no text of the database can hold', async () => {
    await record(request({ requestId: 'a', end2end: 'nul\0, half\ud800' }), request({ requestId: 'b' }));
    expect(await idsOf({})).toEqual(['b', 'a']);
    expect(await idsOf({ end2end: 'nul, half\ufffd' })).toEqual(['a']);
  });
});

describe('finding', () => {
  it('is by each filter, and by all of them together', async () => {
    const ids = [newRequestId(), newRequestId()] as const;
    await record(
      request({ requestId: ids[0], end2end: 'CRX1' }),
      request({ requestId: ids[1], actorId: 'key_2' }),
      request({ requestId: 'theirs', accountId: 8n, end2end: 'CRX1' }),
    );
    await record(
      request({ requestId: 'c', status: 404, end2end: 'CRX1' }),
      request({ requestId: 'd', status: 503, actorKind: 'PAYER', actorId: 'ses_1' }),
      request({ requestId: 'e', status: 304, actorId: 'key_2' }),
    );
    expect(await idsOf({})).toEqual(['e', 'd', 'c', ids[1], ids[0]]);
    expect(await idsOf({ requestId: ids[0] })).toEqual([ids[0]]);
    expect(await idsOf({ requestId: 'theirs' })).toEqual([]);
    expect(await idsOf({ end2end: 'CRX1' })).toEqual(['c', ids[0]]);
    expect(await idsOf({ actorId: 'key_2' })).toEqual(['e', ids[1]]);
    expect(await idsOf({ actorKind: 'PAYER' })).toEqual(['d']);
    expect(await idsOf({ actorKind: 'KEY' })).toEqual(['e', 'c', ids[1], ids[0]]);
    expect(await idsOf({ statusClass: 4 })).toEqual(['c']);
    expect(await idsOf({ statusClass: 3 })).toEqual(['e']);
    expect(await idsOf({ statusClass: 2 })).toEqual([ids[1], ids[0]]);
    expect(await idsOf({ statusClass: 3, actorId: 'key_2', actorKind: 'KEY' })).toEqual(['e']);
    expect(await idsOf({ statusClass: 5, actorId: 'key_2' })).toEqual([]);
    expect(await countRequests(test.database, ACCOUNT, { ...ANY, end2end: 'CRX1' })).toBe(2);
  });

  it('continues from any entry, in both directions, across batches', async () => {
    for (let batch = 0; batch < 3; batch += 1)
      await record(...[0, 1, 2].map((n) => request({ requestId: `r${3 * batch + n}` })));
    const entries = await readRequests(test.database, ACCOUNT, ANY, ALL);
    expect(entries.map(({ requestId }) => requestId)).toEqual(
      [8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `r${n}`),
    );
    for (const [place, { id }] of entries.entries()) {
      const names = entries.map(({ requestId }) => requestId);
      expect(await idsOf({}, { before: id })).toEqual(names.slice(place + 1));
      expect(await idsOf({}, { after: id, isNewestFirst: false })).toEqual(names.slice(0, place).reverse());
      expect(await idsOf({}, { skip: place, limit: 2 })).toEqual(names.slice(place, place + 2));
    }
  });
});

describe('written rows', () => {
  it('for a thousand requests of a key is one row, and few terms', async () => {
    await record(...Array.from({ length: 1_000 }, () => request()));
    expect(await countOf('request_log')).toBe(1_000);
    expect(await countOf('request_batch')).toBe(1);
    // All, the key, and the moments of the ids: four in a second.
    expect(await countOf('request_term')).toBeLessThan(100);
  });

  it('is a row for each account', async () => {
    await record(...[1n, 2n, 3n, 1n].map((accountId) => request({ accountId })));
    expect(await countOf('request_batch')).toBe(3);
    expect(await countRequests(test.database, 1n, ANY)).toBe(2);
  });

  it('is deleted with its terms when it is old: the oldest first, a thousand requests at a time', async () => {
    for (let batch = 0; batch < 3; batch += 1)
      await record(...Array.from({ length: PRUNE_BATCH / 2 }, () => request()));
    await grownOld();
    await record(request({ requestId: 'new' }));
    expect(await pruneRequests()).toBe(2);
    expect(await countOf('request_log')).toBe(PRUNE_BATCH / 2 + 1);
    expect(await pruneRequests()).toBe(1);
    expect(await pruneRequests()).toBe(0);
    expect(await idsOf({})).toEqual(['new']);
    expect(await countOf('request_term')).toBe(3);
  });

  it('is deleted as long after it was written as all others, when the clock of a process is far ahead', async () => {
    const atMs = Date.now() + 365 * 86_400_000;
    await record(...Array.from({ length: PRUNE_BATCH }, () => request({ atMs })));
    await record(request());
    await grownOld();
    expect(await pruneRequests()).toBe(1);
    expect(await pruneRequests()).toBe(1);
    expect(await countOf('request_log')).toBe(0);
  });
});

it('errors of a quiet key are found without reading those of another', async () => {
  const noisy = (status: number) => record(request({ actorId: 'noisy', status }));
  for (let n = 0; n < 20; n += 1) await noisy(404);
  await record(request({ requestId: 'it', actorId: 'quiet', status: 404 }));
  for (let n = 0; n < 20; n += 1) await noisy(n % 2 ? 404 : 200);
  for (let n = 0; n < 20; n += 1) await record(request({ actorId: 'quiet' }));
  const read = await test.database.withTx(async (tx) => {
    const reads = async () => {
      const [row] = await tx.query<{ reads: number }>(
        {
          name: 'test_reads',
          text: `select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as reads from pg_stat_xact_user_tables where relname = 'request_batch'`,
        },
        [],
      );
      return row?.reads ?? 0;
    };
    const before = await reads();
    const found = await readRequests(tx, ACCOUNT, { ...ANY, actorId: 'quiet', statusClass: 4 }, ALL);
    expect(found.map(({ requestId }) => requestId)).toEqual(['it']);
    return (await reads()) - before;
  });
  expect(read).toBe(1);
});

it('reads entries from before 1.0, which have actor and transaction in full', async () => {
  await test.owner.query(
    `insert into request_batch (account_id, requests, terms, entries) values (7, 2, $1, $2)`,
    [
      JSON.stringify([
        '',
        'actor key_1',
        'kind KEY',
        'status 2',
        'request r1',
        'request r2',
        'transaction CRX4',
      ]),
      JSON.stringify([
        [AT_MS, 'KEY', 'key_1', 'GET', '/', null, 200, 1, 'r1', 'CRX4', null],
        [AT_MS, 'KEY', 'key_1', 'GET', '/', null, 200, 1, 'r2', null, null],
      ]),
    ],
  );
  expect(await idsOf({ end2end: 'CRX4', actorId: 'key_1' })).toEqual(['r1']);
  const { rows } = await test.owner.query('select actor_id, end2end from request_log order by id');
  expect(rows).toEqual([
    { actor_id: 'key_1', end2end: 'CRX4' },
    { actor_id: 'key_1', end2end: null },
  ]);
});
