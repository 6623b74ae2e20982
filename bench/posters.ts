/** Ways of the gateway to post, and how fast its posting function can be called without the gateway. */
import pg from 'pg';
import { groupCommit } from '../src/base/concurrency/group-commit.ts';
import { fund } from '../src/ledger/journals.ts';
import { journalHash } from '../src/ledger/posting.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { isOutOfReach } from '../src/store/connection/database-error.ts';
import { type PostOutcome, type PostRequest, postJournals } from '../src/store/ledger/posting.ts';
import { AMOUNT, AVAILABLE, CURRENCY, CUSTODY, type Schema } from './books.ts';

/** One posting: to credit an account with `AMOUNT`. */
export interface Entry {
  readonly accountId: bigint;
  readonly ref: string;
}

/** A way to post. */
export interface Poster {
  readonly name: string;
  /** How many ask at once, each for the next when it has its answer. */
  readonly callers: number;
  /** Postings that a caller asks for at once. */
  readonly entriesPerCall: number;
  readonly schema: Schema;
  readonly open: (url: string) => Posting;
}

/** An open way to post. @throws when an entry was not posted. */
export interface Posting {
  readonly post: (entries: readonly Entry[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Callers and connections of all that post one by one. */
export const ONE_BY_ONE = { callers: 32, connections: 8 } as const;
/** Postings in a batch. */
const BATCH = 500;
const LIMIT_CLIENTS = 8;

/** Each posting a transaction of its own. */
export const oneByOne: Poster = {
  name: 'one by one',
  callers: ONE_BY_ONE.callers,
  entriesPerCall: 1,
  schema: 'public',
  open: (url) => {
    const database = openDatabase(url, { connections: ONE_BY_ONE.connections });
    const postAll = postingIn(database);
    return eachAlone(async (entry) => onlyPosted(await postAll([requestOf(entry)])), database.close);
  },
};

/** Group commit: what is asked for while a batch is under way becomes the next batch. */
export const groupCommits: readonly Poster[] = [
  grouped('group commit', BATCH, 1),
  grouped('group commit, two in turn', BATCH, 2),
  grouped('group commit, 32 callers', ONE_BY_ONE.callers, 1),
];

/** Without application code: the posting function, called with what was written down before. */
export const limits: readonly Poster[] = [
  {
    name: 'limit, 1 in a call',
    callers: LIMIT_CLIENTS,
    entriesPerCall: 1,
    schema: 'public',
    open: (url) => plainClients(url, LIMIT_CLIENTS, 1),
  },
  {
    name: 'limit, 500 in a call',
    callers: 1,
    entriesPerCall: BATCH,
    schema: 'public',
    open: (url) => plainClients(url, 1, BATCH),
  },
];

/** @param lanes - writers that take turns, each with a connection and batches of its own. */
function grouped(name: string, callers: number, lanes: number): Poster {
  return {
    name,
    callers,
    entriesPerCall: 1,
    schema: 'public',
    open: (url) => {
      const database = openDatabase(url, { connections: lanes });
      const postAll = postingIn(database);
      const writers = Array.from({ length: lanes }, () =>
        groupCommit(postAll, { max: BATCH, failsAll: isOutOfReach }),
      );
      let turn = 0;
      return eachAlone(async (entry) => {
        const write = writers[turn++ % lanes] as (typeof writers)[number];
        onlyPosted([await write(requestOf(entry))]);
      }, database.close);
    },
  };
}

function postingIn(database: Database) {
  return (requests: readonly PostRequest[]) =>
    database.withTx((tx) => postJournals(tx, requests, new Date()));
}

function requestOf({ accountId, ref }: Entry): PostRequest {
  return { accountId, ref, transactionId: null, journal: fund(CURRENCY, AMOUNT) };
}

/** A posting of those who ask for one entry at a time. */
export function eachAlone(post: (entry: Entry) => Promise<void>, close: () => Promise<void>): Posting {
  return { post: (entries) => post(entries[0] as Entry), close };
}

/** @throws {Error} that names the code of what was not posted. */
function onlyPosted(outcomes: readonly Pick<PostOutcome, 'code'>[]): void {
  for (const { code } of outcomes) if (code !== 'POSTED') throw new Error(`not posted: ${code}`);
}

const CALL = {
  name: 'limit',
  text: `select code, journal_id from ledger_post($1, $2, $3, $4, $5, now(), $6, $7, $8) order by ix`,
};

/** Arrays go as text that is ready but for accounts and refs. */
function plainClients(url: string, howMany: number, size: number): Posting {
  const clients = Array.from({ length: howMany }, () => connect(url));
  const free = [...clients];
  const hash = `"\\\\x${journalHash(fund(CURRENCY, AMOUNT)).toString('hex')}"`;
  const repeated = (of: (index: number) => string | bigint, times = size) =>
    `{${Array.from({ length: times }, (_each, index) => of(index)).join(',')}}`;
  const isDebit = (line: number) => line % 2 === 0;
  const fixed = [
    repeated(() => hash),
    repeated(() => 'adjustment'),
    repeated(() => 'null'),
    repeated((line) => String((line >> 1) + 1), size * 2),
    repeated((line) => (isDebit(line) ? CUSTODY : AVAILABLE), size * 2),
    repeated((line) => (isDebit(line) ? -AMOUNT : AMOUNT), size * 2),
  ];
  return {
    post: async (entries) => {
      const connecting = free.pop() as Promise<pg.Client>;
      const client = await connecting;
      const accounts = `{${entries.map(({ accountId }) => accountId).join(',')}}`;
      const refs = `{${entries.map(({ ref }) => ref).join(',')}}`;
      const { rows } = await client.query<PostOutcome>({ ...CALL, values: [accounts, refs, ...fixed] });
      free.push(connecting);
      onlyPosted(rows);
    },
    close: async () => {
      for (const client of clients) await (await client).end();
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set role crossramp_app');
  return client;
}
