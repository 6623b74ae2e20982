/** The routes of `/v2` with a path each that has an answer, and how tests look at raw answers. */
import { connect } from 'node:net';
import { restRoutes } from '../../src/rest-compat/routes.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import type { Answer } from './app.ts';

/** The route table of the application as it is by default. */
export const ROUTES = restRoutes(REGISTRY, {
  limitOverflow: 'clamp',
  strictQuery: false,
  exactIntegers: false,
});
/** A transaction of the example history for each single-record path. */
export const IDS: Record<string, string> = {
  crossramp_checkout: 'CRX01KQSDR2G0FDQV7RN9RMBV947R',
  onramp: 'CRX01KQJ1A72GFRM9067ZF35B7ZCN',
  offramp: 'CRX01KQMY4460FK28WFK4WPN1GZWV',
  withdrawal: 'CRX01KQQ272R0F3NSHQTWHZFSBTYP',
};
/** Every route with a path that has an answer. */
export const TARGETS = ROUTES.map(({ path }) => ({
  route: path,
  path: path.replace('{id}', IDS[path.split('/')[2] as string] ?? ''),
}));
/** Paths that need no key. */
export const OPEN_PATHS = ['/', '/healthz', '/readyz', '/v2/openapi.json', '/errors/NOT_FOUND'];
/** The form of a request id that the gateway gives. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Sends bytes as they are and gives all that comes back. */
export function raw(baseUrl: string, head: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(text));
    socket.write([...head, 'Host: localhost', 'Connection: close', '', ''].join('\r\n'), 'latin1');
  });
}

/** What of an answer must be the same for every reason: all but the date and what says which request it was. */
export function told({ status, headers, json }: Answer, except: readonly string[] = []) {
  const kept = Object.fromEntries(headers);
  for (const name of ['date', 'x-request-id', ...except]) delete kept[name];
  return { status, headers: kept, body: { ...json, request_id: typeof json.request_id } };
}
