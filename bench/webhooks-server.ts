/** The gateway as a process of the webhook benchmark: it serves and makes what happens, or works, or does both. */
import { pino } from 'pino';
import { createServices } from '../src/compose/services.ts';
import { readConfig } from '../src/config.ts';
import { createApp } from '../src/server/app.ts';
import { listen } from '../src/server/http/listen.ts';
import { connectNotifier } from '../src/server/process/remote-notifier.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { startWebhooks } from '../src/webhooks/worker.ts';
import { rampOf } from './ramps.ts';
import { answerTasks } from './tasks.ts';

const [url, role] = process.argv.slice(2) as [string, 'serve' | 'work' | 'all'];
/** Between two things that a transaction is told: its webhooks go out one after another. */
const STEP_MS = 200;

const database = openDatabase(url);
const config = readConfig({ RATE_LIMIT: 'off', EVENT_STREAMS_MAX: '10000' });
const services = createServices({ database, registry: REGISTRY, config });
const log = pino({ level: 'silent' });
if (role !== 'all')
  await connectNotifier(services.notifier, { url, schema: 'public', works: role !== 'serve' }, log);
let statements = 0;
const counted: Database = {
  ...database,
  query: (statement, values) => {
    statements += 1;
    return database.query(statement, values);
  },
  withTx: (work) =>
    database.withTx((tx) =>
      work({
        query: (statement, values) => {
          statements += 1;
          return tx.query(statement, values);
        },
      }),
    ),
};
if (role !== 'serve') startWebhooks({ ...services, database: counted }, log, { allowsLoopback: true });

/** Moments of commits, ns, by `<end2end>/<sequence>`. */
let commits: Record<string, string> = {};

/** Takes one onramp from its creation to its end. */
async function ramp(accountId: bigint): Promise<void> {
  const next = rampOf(services.advance, accountId);
  let seen = 0;
  for (let row = await next(); row; row = await next()) {
    // The engine resolves after the commit and the notification, in the same turn.
    const at = String(process.hrtime.bigint());
    const sequence = row.process?.sequence ?? 0;
    while (seen < sequence) commits[`${row.end2end}/${++seen}`] = at;
    await pause(STEP_MS);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Begins so many onramps in a second, for some seconds, of each account in turn. @returns the moments of all commits. */
async function load(accountIds: readonly string[], perSecond: number, seconds: number) {
  commits = {};
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let made = 0; made < perSecond * seconds; ) {
    const due = ((performance.now() - begun) / 1_000) * perSecond;
    for (; made < due; made++) running.push(ramp(BigInt(accountIds[made % accountIds.length] as string)));
    await pause(2);
  }
  await Promise.all(running);
  return commits;
}

answerTasks({
  listen: async () => {
    const app = createApp({ config, services, log });
    return (await listen(app.handle, { host: '127.0.0.1', port: 0 })).port;
  },
  load,
  statements: async () => statements,
});
