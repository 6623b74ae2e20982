/**
 * How long others wait while one key asks for all that GraphQL gives: so many operations at once, and meanwhile `GET /v2/balance` of
 * another account, one after another.
 *
 * `npm run starve -- --parallel 20 --seconds 10 --transactions 20000 --limits on`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { getIntrospectionQuery } from 'graphql';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { withBenchServer } from './environment.ts';
import { publish } from './report.ts';
import { withRivals } from './rivals.ts';
import { seed } from './seed.ts';

const PAGES = `{ transactions(families: ONRAMPS, first: 100) { totalCount edges { node { end2end component state
  status { en pt } substatus { en pt } message { en pt }
  ledgerLines { number debit credit previousBalance balance }
  events { name sequence component state occurredAt }
} } } }`;
const times = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join(' ');
const [WHOLE = '', ...FRAGMENTS] = getIntrospectionQuery().split(/(?=fragment )/);
const SCHEMA = WHOLE.slice(WHOLE.indexOf('__schema'), WHOLE.lastIndexOf('}'));
let made = 0;
/** What one key asks for; each text is made for each request. */
const LOADS: Readonly<Record<string, () => string>> = {
  '100 transactions with all relations': () => PAGES,
  '5 searches for a text': () =>
    `{ ${times(5, (at) => `s${at}: transactions(first: 1, filter: { text: "none ${at}" }) { totalCount }`)} }`,
  'the schema 3 times': () => `{ ${times(3, (at) => `i${at}: ${SCHEMA}`)} } ${FRAGMENTS.join(' ')}`,
  'a new document of 180 equal fields': () => `query N${made++} { ${'balances { available } '.repeat(180)} }`,
};
/** Between two looks at the balance. */
const PAUSE_MS = 20;

interface Load {
  answered: number;
  refused: number;
}

async function ask(url: string, key: string, body?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body });
  const text = await answer.text();
  // What is too expensive is refused; others have to be answered.
  const isFine = body === undefined ? answer.ok : [200, 400, 429, 503].includes(answer.status);
  if (!isFine) throw new Error(text.slice(0, 500));
  return answer;
}

/** Asks again and again, and waits as long as it is told to. */
async function press(
  url: string,
  key: string,
  query: () => string,
  until: number,
  load: Load,
): Promise<void> {
  while (performance.now() < until) {
    const answer = await ask(`${url}/graphql`, key, JSON.stringify({ query: query() }));
    if (answer.ok) load.answered += 1;
    else {
      load.refused += 1;
      const seconds = Number(answer.headers.get('retry-after') ?? '1');
      await sleep(Math.max(0, Math.min(1_000 * seconds, until - performance.now())));
    }
  }
}

async function style(url: string, key: string, until: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    const begun = performance.now();
    await ask(`${url}/v2/balance`, key);
    times.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  return times.sort((a, b) => a - b);
}

async function run(url: string, parallel: number, seconds: number, size: number): Promise<string[][]> {
  const { small, large } = await seed(url, size);
  const database = openDatabase(url, { connections: 2 });
  const keyOf = async (accountId: bigint) =>
    (
      await createKey(database, accountId, {
        ...{ name: 'starve', mode: 'test', scopes: ['read'], expiresAt: null, allowedCidrs: [] },
      })
    ).apiKey;
  const [heavy, light] = [await keyOf(large.id), await keyOf(small.id)];
  await database.close();
  return withRivals(['gateway'], url, async (rivals) => {
    const base = `http://127.0.0.1:${rivals.get('gateway')?.port}`;
    const rows = [rowOf('nobody else', await style(base, light, performance.now() + 1_000 * seconds))];
    for (const [name, query] of Object.entries(LOADS)) {
      // Twice: what comes again is compiled. Then its bucket fills up again.
      for (let i = 0; i < 2; i++)
        await press(base, heavy, query, performance.now() + 1, { answered: 0, refused: 0 });
      await sleep(2_000);
      rows.push(await underLoad(base, { heavy, light, name, query }, parallel, seconds));
    }
    return rows;
  });
}

async function underLoad(
  base: string,
  { heavy, light, name, query }: { heavy: string; light: string; name: string; query: () => string },
  parallel: number,
  seconds: number,
): Promise<string[]> {
  const load = { answered: 0, refused: 0 };
  const until = performance.now() + 1_000 * seconds;
  const pressing = Array.from({ length: parallel }, () => press(base, heavy, query, until, load));
  const waits = await style(base, light, until);
  await Promise.all(pressing);
  return [...rowOf(`${parallel} callers, each: ${name}`, waits), String(load.answered), String(load.refused)];
}

function rowOf(name: string, times: readonly number[]): string[] {
  const at = (share: number) =>
    (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0).toFixed(1);
  return [name, String(times.length), at(0.5), at(0.95), at(1)];
}

const { values } = parseArgs({
  options: {
    parallel: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '10' },
    transactions: { type: 'string', default: '20000' },
    limits: { type: 'string', default: 'on' },
  },
});
// The server of the gateway reads it.
process.env.BENCH_RATE_LIMIT = values.limits === 'off' ? 'off' : '';
const rows = await withBenchServer((url) =>
  run(url, Number(values.parallel), Number(values.seconds), Number(values.transactions)),
);
const headings = ['', 'balances', 'p50 ms', 'p95 ms', 'max ms', 'heavy answered', 'heavy refused'];
const title = 'Balances of others while one key asks for much';
publish({ goals: [], sections: [{ title, headings, rows }] }, false);
