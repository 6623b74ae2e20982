/** The gateway as a process that the fan-out benchmark asks for its memory, and to commit something. */
import { request } from 'node:http';
import { pino } from 'pino';
import { createServices } from '../src/compose/services.ts';
import { readConfig } from '../src/config.ts';
import { startWorker } from '../src/resolvers/engine/run-jobs.ts';
import { createApp } from '../src/server/app.ts';
import { listen } from '../src/server/http/listen.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { prismaOf } from '../src/store/connection/prisma.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { answerTasks, residentMemory } from './tasks.ts';

const database = openDatabase(process.argv[2] as string);
const config = readConfig({ RATE_LIMIT: 'off', EVENT_STREAMS_MAX: '100000' });
const services = createServices({ database, registry: REGISTRY, config });
const log = pino({ level: 'silent' });
const app = createApp({ config, services, log });
startWorker(services, log);
const { server, port } = await listen(app.handle, { host: '127.0.0.1', port: 0 });
// All connect at the same moment here.
server.maxConnections = 1_000_000;

let rungAt = 0n;
services.notifier.onAny(() => {
  // The first of the commits that a creation is.
  rungAt ||= process.hrtime.bigint();
});
let apiKey = '';

const ONRAMP = {
  amount_payment: 100,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

function post(path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 201) resolve(text);
        else reject(new Error(text));
      },
    );
    sent.on('error', reject).end(JSON.stringify(body));
  });
}

answerTasks({
  listen: async () => port,
  /** Makes a transaction that events can be of. */
  transaction: async (accountId: string, key: string) => {
    apiKey = key;
    const { end2end } = JSON.parse(await post('/v2/onramp', ONRAMP));
    const { id } = await prismaOf(database).transaction.findFirstOrThrow({
      where: { accountId: BigInt(accountId), end2end },
    });
    return String(id);
  },
  notify: async (accountId: string) => services.notifier.notify([BigInt(accountId)]),
  /** A creation through the engine. @returns the moment of the notification after its commit. */
  create: async () => {
    rungAt = 0n;
    await post('/v2/onramp', ONRAMP);
    return String(rungAt);
  },
  memory: residentMemory,
  heap: async () => process.memoryUsage().heapUsed,
});
