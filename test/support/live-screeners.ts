/** Two providers of screening over HTTP: one of people, one of addresses in the form of Chainalysis. They fail as they are told to. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from './load.ts';

/** The providers. */
export interface Screeners {
  /** Members of `screening` in RAILS_FILE. @param keyFile - holds any key. */
  readonly settings: (keyFile: string) => readonly object[];
  /** Tax ids that the provider of people blocks. */
  readonly blocked: Set<string>;
  /** Addresses in small letters that the provider of addresses calls sanctioned. */
  readonly sanctioned: Set<string>;
  /** Shares of the requests without an answer and with 500; an answer may be late. */
  trouble: { lost: number; failing: number; slow: number };
  /** Requests, and what happened to them. */
  readonly happened: { asked: number; lost: number; failing: number; slow: number };
  readonly stop: () => void;
}

const NO_TROUBLE = { lost: 0, failing: 0, slow: 0 };
const SLOW_MS = 500;

/** Starts them. */
export async function startScreeners(random: Random): Promise<Screeners> {
  const screeners = {
    ...{ blocked: new Set<string>(), sanctioned: new Set<string>() },
    ...{ trouble: NO_TROUBLE, happened: { asked: 0, ...NO_TROUBLE } },
  };
  const answer = (path: string, body: string): object => {
    const address = /^\/api\/v1\/address\/(.+)$/.exec(path)?.[1];
    if (address !== undefined) {
      const isSanctioned = screeners.sanctioned.has(address.toLowerCase());
      return { identifications: isSanctioned ? [{ category: 'sanctions', name: 'SANCTIONS: OFAC' }] : [] };
    }
    return { status: screeners.blocked.has(JSON.parse(body).taxId) ? 'BLOCK' : 'CLEAR' };
  };
  const server = createServer(async (request, response) => {
    screeners.happened.asked += 1;
    let body = '';
    for await (const chunk of request) body += chunk;
    const fault = (['lost', 'failing', 'slow'] as const).find((each) =>
      random.chance(screeners.trouble[each]),
    );
    if (fault) screeners.happened[fault] += 1;
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'failing') return void response.writeHead(500).end();
    const send = () => end(response, answer(request.url ?? '', body));
    if (fault === 'slow') setTimeout(send, SLOW_MS);
    else send();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timing = { timeoutSeconds: 3 };
  return Object.assign(screeners, {
    settings: (keyFile: string) => [
      { kind: 'chainalysis-sanctions', url, keyFile, ...timing },
      {
        ...{ kind: 'http', name: 'bureau', url: `${url}/people`, screens: ['people'], ...timing },
        ...{ decision: '$.status', decisions: { CLEAR: 'cleared', BLOCK: 'frozen' } },
      },
    ],
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

function end(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
