/** Who gets events from outside: a receiver of webhooks, and subscribers. Notes when each came, on the machine's clock. */
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { answerTasks } from './tasks.ts';

/** Moments of the first arrival, ns, by `<end2end>/<sequence>`. */
let arrivals: { webhooks: Record<string, string>; streams: Record<string, string> };
let requests = 0;

const END2END = /"end2end":"([^"]+)"/;
const EVENT = /"sequence":(\d+),"transaction":\{"end2end":"([^"]+)"/g;
const SUBSCRIPTION = JSON.stringify({
  query:
    'subscription { events { __typename ... on TransactionEvent { sequence transaction { end2end } } } }',
});

const server = createServer((request, response) => {
  const at = process.hrtime.bigint();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.end();
    requests += 1;
    const end2end = END2END.exec(Buffer.concat(chunks).toString())?.[1];
    arrivals.webhooks[`${end2end}/${request.headers['crossramp-sequence']}`] ??= String(at);
  });
});

/** Subscribes to the events of an account after a cursor. @returns once the stream has begun. */
function subscribe(port: number, apiKey: string, after: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').on('error', reject);
    let rest = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      const at = process.hrtime.bigint();
      const text = rest + chunk;
      let end = 0;
      for (const match of text.matchAll(EVENT)) {
        end = match.index + match[0].length;
        arrivals.streams[`${match[2]}/${match[1]}`] ??= String(at);
      }
      rest = text.slice(end);
      resolve();
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\nAccept: text/event-stream\r\nLast-Event-ID: ${after}\r\nContent-Type: application/json\r\nContent-Length: ${SUBSCRIPTION.length}\r\n\r\n${SUBSCRIPTION}`,
    );
  });
}

answerTasks({
  listen: async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  subscribe: (port: number, apiKey: string, after: string) => subscribe(port, apiKey, after),
  /** Begins to count anew. */
  clear: async () => {
    arrivals = { webhooks: {}, streams: {} };
    requests = 0;
  },
  arrivals: async () => ({ ...arrivals, requests }),
});
