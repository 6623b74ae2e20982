/** The routes of `/v2` with a request each that has an answer, what creations need, and how tests look at answers. */

import { connect } from 'node:net';
import { ACTIONS } from '../../src/base/access/actions.ts';
import type { Scope } from '../../src/base/access/api-key.ts';
import type { BodyShape } from '../../src/rest-compat/input.ts';
import { restRoutes } from '../../src/rest-compat/routes.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import type { Answer, TestApp } from './app.ts';
import { type Members, type TemplateName, TRON } from './records.ts';

/** The route table of the application as it is by default. */
export const ROUTES = [
  ...restRoutes(REGISTRY, { limitOverflow: 'clamp', strictQuery: false, exactIntegers: false }).values(),
];
/** A transaction of the example history for each single-record path. */
export const IDS: Record<string, string> = {
  crossramp_checkout: 'CRX01KQSDR2G0FDQV7RN9RMBV947R',
  onramp: 'CRX01KQJ1A72GFRM9067ZF35B7ZCN',
  offramp: 'CRX01KQMY4460FK28WFK4WPN1GZWV',
  withdrawal: 'CRX01KQQ272R0F3NSHQTWHZFSBTYP',
};
/** Ids that records besides transactions could have, and none has. */
const NO_IDS: Record<string, string> = {
  webhook_endpoint: 'whe_AAAAAAAAAAAAAAAA',
  webhook_delivery: '999999999999',
  api_key: 'key_AAAAAAAAAAAAAAAA',
  whitelist_group: 'grp_AAAAAAAAAAAAAAAA',
  whitelist_entry: 'wle_AAAAAAAAAAAAAAAA',
  static_link: 'AAAAAAAAAAAAAAAA',
};
/** @returns the path of a route, with an id where it has one. */
export const pathOf = (route: string) => {
  const single = route.split('/')[2] ?? '';
  return route.replace('{id}', IDS[single] ?? NO_IDS[single] ?? '');
};

/** Customer and payee of creations. */
export const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
export const PAYEE = { pix_key: 'ana@example.com', pix_key_type: 'email', ...CUSTOMER };
/** Whitelist group of the withdrawals here. */
export const GROUP = 'wl-treasury';
/** A body that is taken, for every path that has to have one. */
export const BODIES: Readonly<Record<string, Members>> = {
  '/v2/crossramp_checkout': {
    amount_payment: 100,
    currency_exit_received_code: 'USDT_TRX',
    ...CUSTOMER,
  },
  '/v2/onramp': { amount_payment: 100, currency_exit_received_code: 'USDT_TRX', ...CUSTOMER },
  '/v2/offramp': { amount_paid: 10, currency_entry_paid_code: 'USDT_TRX', ...PAYEE },
  '/v2/withdrawal': { amount_received: 10, currency_receive_code: 'USDT_TRX', group_id: GROUP },
  '/v2/offramp/{id}/resolve': { action: 'keep' },
  '/v2/crossramp_checkout/{id}/identity': CUSTOMER,
  '/v2/onramp/{id}/identity': CUSTOMER,
  '/v2/offramp/{id}/identity': PAYEE,
  '/v2/sandbox/trigger': { scenario: 'pay', end2end: IDS.onramp },
  '/v2/sandbox/clock': { advance: '0s' },
  '/v2/sandbox/fund': { currency: 'BRL', amount: '1' },
  '/v2/webhook_endpoint': { url: 'https://shop.example/hooks', event_names: ['onramp.*'] },
  '/v2/api_key': { name: 'shop', scopes: ['admin'] },
  '/v2/whitelist_group': { name: 'Treasury' },
  '/v2/whitelist_entry': { group_id: 'grp_AAAAAAAAAAAAAAAA', network: 'TRX', address: TRON },
  '/v2/whitelist_entry/{id}/prove': { proof_id: 'proof-1', proof_expires_at: '2099-01-31T12:00:00Z' },
  '/v2/static_link': { name: 'Coffee', currency_exit_received_code: 'USDT_TRX' },
};

/** A request to a route. */
export interface Target {
  readonly method: 'GET' | 'POST';
  /** Whether it is about records besides transactions. */
  readonly isRecord: boolean;
  readonly route: string;
  /** With the id of a record of the example history. */
  readonly path: string;
  readonly scope: Scope;
  /** Scope that other bodies or transactions need instead. */
  readonly otherScope: Scope | undefined;
  /** Members that the body may have. */
  readonly shape: BodyShape;
  readonly body: Members;
}

/** Scope that the body of a target needs: its offramp is out of the balance, which is money out (C-25). */
export const scopeOfBody = ({ method, route, scope }: Target): Scope =>
  method === 'POST' && route === '/v2/offramp' ? 'move' : scope;

/** Every route with a request; the id of a record besides transactions is one that no record has. */
export const TARGETS: readonly Target[] = ROUTES.map(
  ({ method, path, scope, otherAction, body = {}, answer }) => ({
    method,
    isRecord: answer.kind === 'record',
    route: path,
    path: pathOf(path),
    scope,
    otherScope: otherAction && ACTIONS[otherAction].scope,
    shape: body,
    body: BODIES[path] ?? {},
  }),
);
/** Those that read and have an answer, and those that write. */
export const READS = TARGETS.filter(
  ({ method, isRecord, route }) => method === 'GET' && !(isRecord && route.includes('{id}')),
);
export const WRITES = TARGETS.filter(({ method }) => method === 'POST');
/** Methods that a target takes, as `Allow` says them. */
export const allowOf = ({ method }: Pick<Target, 'method'>) => (method === 'GET' ? 'GET, HEAD' : 'POST');
/** Paths that need no key. */
export const OPEN_PATHS = ['/', '/healthz', '/readyz', '/v2/openapi.json', '/errors/NOT_FOUND'];
/** The form of a request id that the gateway gives. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Sends the request of a target. */
export function query(
  app: TestApp,
  { method, path, body }: Target,
  options: { key?: string | null; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return method === 'GET' ? app.get(path, options) : app.post(path, body, options);
}

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
export function reported({ status, headers, json }: Answer, except: readonly string[] = []) {
  const kept = Object.fromEntries(headers);
  for (const name of ['date', 'x-request-id', ...except]) delete kept[name];
  return { status, headers: kept, body: { ...json, request_id: typeof json.request_id } };
}

const LABELS = ['status', 'substatus', 'message', 'error_message'];
const QUOTE_KEYS = ['quote', 'ref_quote', 'fees'];
const SESSION_KEYS = ['expiration', 'return_url', 'external_code', 'webhook'];
const CLIENT_KEYS = ['pix_e2e', 'client_name', 'client_tax_id'];
const EXIT_KEYS = ['currency_exit_received', 'currency_exit_received_code'];
const PIX_IN_KEYS = [
  ...[...QUOTE_KEYS, 'currency_entry', ...EXIT_KEYS, 'amount_payment', 'amount_received'],
  ...[...CLIENT_KEYS, ...SESSION_KEYS],
];
const PIX_OUT_KEYS = ['pix_key', 'pix_key_type', ...CLIENT_KEYS, ...SESSION_KEYS];
/** Members of the envelope in their order, table 2.1 of `service.md`. */
export const ENVELOPE_KEYS = [
  ...['end2end', 'component', 'state', 'template', 'created_at', 'updated_at'],
  ...[...LABELS, 'attributes'],
];
/** Tables 2.2 to 2.6 of `service.md`; `fixed_link` follows where a session has it. */
export const ATTRIBUTE_KEYS: Readonly<Record<TemplateName, readonly string[]>> = {
  crossramp_checkout: PIX_IN_KEYS,
  onramp: [...PIX_IN_KEYS, 'template'],
  onramp_instant: [...PIX_IN_KEYS, 'template', 'wallet', 'tx_hash', 'network_fee'],
  offramp: [
    ...[...QUOTE_KEYS, 'currency_exit', 'currency_entry_paid', 'currency_entry_paid_code', 'amount_paid'],
    ...['amount_sent', ...PIX_OUT_KEYS],
  ],
  offramp_instant: [
    ...[...QUOTE_KEYS, 'currency_payment', 'currency_received', 'amount_payment', 'amount_received'],
    ...['amount_payment_display', 'deposit_address', 'deposit_currency', 'exact_deposit_amount', 'tx_hash'],
    ...PIX_OUT_KEYS,
  ],
  withdraw_dash_same_curr: [
    ...['amount_discounted', 'amount_received', 'currency_received', 'currency_receive_code', 'address'],
    ...['tx_hash', 'explorer_url', 'network_fee', 'group_id', 'notes'],
  ],
};

/** The token that follows a name in JSON text, as it stands there; the first one. */
export function tokenOf(text: string, name: string): string | undefined {
  return new RegExp(`"${name}":([^,}\\]]+)`).exec(text)?.[1];
}

/** A destination of a whitelist group: an address of a network, or a PIX key of a type. */
export interface Destination {
  readonly network?: string;
  readonly pixKeyType?: string;
  readonly target: string;
  /** Milliseconds from now; at once when not given. */
  readonly usableInMs?: number;
}

/** Makes a whitelist group with these destinations. */
export async function whitelist(
  app: Pick<TestApp, 'owner'>,
  accountId: bigint,
  groupId: string,
  destinations: readonly Destination[],
): Promise<void> {
  // A second ago, for a gateway's idea of the database's time may be some milliseconds behind.
  const now = new Date(Date.now() - 1_000);
  const group = [accountId, groupId, 'Treasury', now];
  await app.owner.query(
    'insert into whitelist_group (account_id, id, name, created_at) values ($1, $2, $3, $4)',
    group,
  );
  for (const [index, { network, pixKeyType, target, usableInMs = 0 }] of destinations.entries()) {
    const usableAt = new Date(now.getTime() + usableInMs);
    await app.owner.query(
      `insert into whitelist_entry (account_id, group_id, id, network, pix_key_type, target, created_at, usable_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [accountId, groupId, `${groupId}-${index}`, network ?? null, pixKeyType ?? null, target, now, usableAt],
    );
  }
}

/** @returns the events of a transaction, oldest first. */
export async function eventsOf(
  app: TestApp,
  end2end: string,
): Promise<{ name: string; payload: string; sequence: number }[]> {
  const { rows } = await app.owner.query(
    `select e.name, event_body(e.form, e.payload) as payload, e.sequence from event e
      join transaction t on t.account_id = e.account_id and t.id = e.transaction_id
      where t.end2end = $1 order by e.sequence`,
    [end2end],
  );
  return rows;
}

/** @returns how many rows every table has, but for keys, which note their last use. */
export async function rowCounts(app: TestApp): Promise<Record<string, number>> {
  const { rows: tables } = await app.owner.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'api_key' order by 1`,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as n from "${name}"`);
  // Prepared: to plan so many counts takes longer than to count.
  const { rows } = await app.owner.query<{ name: string; n: number }>({
    name: `counts of ${tables.length} tables`,
    text: counts.join(' union all '),
  });
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}
