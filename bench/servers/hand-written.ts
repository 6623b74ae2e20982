/**
 * What the gateway's REST reads are compared with: node:http and `pg`, nothing else, written for these three
 * answers. It checks the key as the gateway does (SHA-256, a look-up that is believed for half a second), runs the
 * same indexed reads as named statements, and joins the same bytes with a serializer of its own.
 *
 * `BENCH_PIPELINE=1`: three shared connections that pipeline, instead of a pool of ten.
 */
import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import { REGISTRY } from '../../src/templates/index.ts';
import { graphqlAnswers } from './hand-written-graphql.ts';
import {
  assets,
  decimal,
  EXPLORERS,
  names,
  type Query,
  type Row,
  rounded,
  TRANSACTION,
  time,
  trim,
} from './hand-written-text.ts';
import { CONNECTIONS, DATABASE_URL, serve } from './ready.ts';

const KEY = `select account_id from api_key where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`;
const SINGLE = `select ${TRANSACTION} from transaction t where t.account_id = $1 and t.end2end = $2 and t.family = 'onramps'`;
const LIST = `select w.hi - w.lo + 1 as total, t.* from list_window($1, 'onramps', null, null) w
  left join lateral (select ${TRANSACTION} from transaction t where t.account_id = $1 and t.family = 'onramps'
    and t.list_seq between w.lo and w.hi - $3::bigint order by t.list_seq desc limit $2) t on true`;
// By key for each line, whatever the planner expects of `statement_page`.
const STATEMENT = `select s.total, (s.line).id as line_id, (s.line).posted_at, (s.line).delta, (s.line).balance_before, (s.line).balance_after,
    a.id as account_id, a.code, a.name, a.currency, a.pretty_name, a.scale, ${TRANSACTION}
  from statement_page($1, case when $2::text is not null then array[$2::text] end, $3::smallint, null, null, $4::int, $5::bigint, null) s
  left join ledger_account a on a.account_id = $1 and a.id = (s.line).ledger_account_id
  left join lateral (select ${TRANSACTION} from transaction t where t.account_id = $1 and t.id = (s.line).transaction_id limit 1) t on true
  order by (s.line).id desc`;

const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;
const PIPELINED = 3;
const BELIEVED_MS = 500;
const SUB_ACCOUNTS: Record<string, number> = { available: 1, in_transit: 2, to_receive: 3, blocked: 4 };

const { query, end } = process.env.BENCH_PIPELINE ? await pipelined() : pooled();
const labels = new Map(
  REGISTRY.templates.flatMap(({ name, steps }) =>
    steps.map((step) => [
      `${name}/${step.component}/${step.state}`,
      `"status":${JSON.stringify(step.status)},"substatus":${JSON.stringify(step.substatus)},"message":${JSON.stringify(step.message)}`,
    ]),
  ),
);
const keys = new Map<string, { account: string; until: number }>();

await serve((request, response) => {
  answer(request, response).catch((error: Error) => send(response, 500, JSON.stringify(error.message)));
}, end);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const account = await accountOf(request.headers.authorization ?? '');
  if (account === undefined) return send(response, 401, '{}');
  const [path = '', search = ''] = (request.url ?? '').split('?');
  if (path === '/graphql') return graphql(request, response, account);
  if (path.startsWith('/v2/onramp/')) return single(response, account, decodeURIComponent(path.slice(11)));
  const parameters = new URLSearchParams(search);
  const limit = Number(parameters.get('limit') ?? 20);
  const offset = Number(parameters.get('offset') ?? 0);
  if (path === '/v2/onramps') return list(response, account, limit, offset);
  if (path !== '/v2/statement') return send(response, 404, '{}');
  const subAccount = SUB_ACCOUNTS[parameters.get('account_type') ?? ''] ?? null;
  return statement(response, account, parameters.get('currency'), subAccount, limit, offset);
}

async function accountOf(authorization: string): Promise<string | undefined> {
  const digest = hash('sha256', authorization.slice(7), 'buffer');
  const name = digest.toString('base64');
  const known = keys.get(name);
  if (known && known.until > Date.now()) return known.account;
  const [row] = await query('key', KEY, [digest]);
  if (!row) return undefined;
  keys.set(name, { account: row.account_id as string, until: Date.now() + BELIEVED_MS });
  return row.account_id;
}

/** The documents that it knows, and no others: nothing is parsed but the JSON of the request. */
async function graphql(request: IncomingMessage, response: ServerResponse, account: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { query: document, variables } = JSON.parse(Buffer.concat(chunks).toString());
  const answerTo = graphqlAnswers.get(document);
  if (answerTo) send(response, 200, await answerTo(query, account, variables));
  else send(response, 400, '{"errors":[{"message":"unknown document"}]}');
}

async function single(response: ServerResponse, account: string, end2end: string): Promise<void> {
  const [row] = await query('single', SINGLE, [account, end2end]);
  if (row) send(response, 200, record(row));
  else send(response, 404, '{}');
}

async function list(response: ServerResponse, account: string, limit: number, offset: number): Promise<void> {
  const rows = await query('list', LIST, [account, limit, offset]);
  let text = `{"version":"v1","total":${rows[0]?.total},"limit":${limit},"offset":${offset},"results":[`;
  if (rows[0]?.end2end !== null) {
    for (let i = 0; i < rows.length; i++) text += (i > 0 ? ',' : '') + record(rows[i] as Row);
  }
  send(response, 200, `${text}]}`);
}

async function statement(
  response: ServerResponse,
  account: string,
  currency: string | null,
  subAccount: number | null,
  limit: number,
  offset: number,
): Promise<void> {
  const rows = await query('statement', STATEMENT, [account, currency, subAccount, limit, offset]);
  let text = `{"total":${rows[0]?.total},"limit":${limit},"offset":${offset},"entries":[`;
  if (rows[0]?.line_id !== null) {
    for (let i = 0; i < rows.length; i++) text += (i > 0 ? ',' : '') + entry(rows[i] as Row);
  }
  send(response, 200, `${text}]}`);
}

function entry(row: Row): string {
  const scale = Number(row.scale);
  const delta = row.delta as string;
  const isDebit = delta.charCodeAt(0) === 45;
  const amount = decimal(isDebit ? delta.slice(1) : delta, scale);
  return (
    `{"id":${row.line_id},"date":"${time(row.posted_at as string)}","account":{"id":${row.account_id},"name":${JSON.stringify(row.name)},` +
    `"code":"${row.code}","currency":"${row.currency}","currency_pretty_name":${JSON.stringify(row.pretty_name)}},` +
    `"debit":${isDebit ? amount : '0'},"credit":${isDebit ? '0' : amount},"previous_balance":${decimal(row.balance_before as string, scale)},` +
    `"balance":${decimal(row.balance_after as string, scale)},"transaction":${row.end2end === null ? 'null' : embedded(row)}}`
  );
}

function record(row: Row): string {
  return `{"end2end":${JSON.stringify(row.end2end)},"component":"${row.component}","state":"${row.state}",${rest(row)}`;
}

function embedded(row: Row): string {
  return `{"end2end":${JSON.stringify(row.end2end)},${rest(row)}`;
}

function rest(row: Row): string {
  return (
    `"template":"${row.template}","created_at":"${time(row.created_at as string)}","updated_at":"${time(row.updated_at as string)}",` +
    `${labels.get(`${row.template}/${row.component}/${row.state}`)},"error_message":{"en":${JSON.stringify(row.error_en)},"pt":${JSON.stringify(row.error_pt)}},` +
    `"attributes":{${attributes(row)}}}`
  );
}

function attributes(row: Row): string {
  switch (row.template) {
    case 'crossramp_checkout':
      return pixIn(row) + (row.fixed_link === null ? '' : `,"fixed_link":${text(row.fixed_link)}`);
    case 'onramp':
      return `${pixIn(row)},"template":"onramp"`;
    case 'onramp_instant':
      return `${pixIn(row)},"template":"onramp_instant","wallet":${text(row.wallet)},"tx_hash":${text(row.tx_hash)},"network_fee":${text(row.network_fee)}`;
    case 'offramp':
      return (
        `${roundedQuote(row)},"currency_exit":${names.get(row.target_currency as string)},"currency_entry_paid":${names.get(row.source_currency as string)},` +
        `"currency_entry_paid_code":${assets.get(row.source_currency as string)},"amount_paid":${trim(row.source_amount)},"amount_sent":${trim(row.target_amount)},${pixOut(row)}`
      );
    case 'offramp_instant':
      return offrampInstant(row);
    default:
      return withdrawal(row);
  }
}

function pixIn(row: Row): string {
  const target = row.target_currency as string;
  return (
    `"quote":${trim(row.quote)},"ref_quote":${trim(row.ref_quote)},"fees":${trim(row.fees)},"currency_entry":"BRL",` +
    `"currency_exit_received":${names.get(target)},"currency_exit_received_code":${assets.get(target)},` +
    `"amount_payment":${trim(row.source_amount)},"amount_received":${trim(row.target_amount)},"pix_e2e":${text(row.pix_e2e)},` +
    `"client_name":${text(row.client_name)},"client_tax_id":${text(row.client_tax_id)},${session(row)}`
  );
}

function pixOut(row: Row): string {
  return (
    `"pix_key":${text(row.pix_key)},"pix_key_type":${text(row.pix_key_type)},"pix_e2e":${text(row.pix_e2e)},` +
    `"client_name":${text(row.client_name)},"client_tax_id":${text(row.client_tax_id)},${session(row)}`
  );
}

function session(row: Row): string {
  const expiration = row.expires_at === null ? '' : time(row.expires_at as string);
  return `"expiration":"${expiration}","return_url":${text(row.return_url)},"external_code":${text(row.external_code)},"webhook":${text(row.webhook)}`;
}

function roundedQuote(row: Row): string {
  return `"quote":${rounded(row.quote)},"ref_quote":${rounded(row.ref_quote)},"fees":${rounded(row.fees)}`;
}

function offrampInstant(row: Row): string {
  const source = row.source_currency as string;
  const amount = trim(row.source_amount);
  return (
    `${roundedQuote(row)},"currency_payment":${assets.get(source)},"currency_received":${names.get(row.target_currency as string)},` +
    `"amount_payment":${amount},"amount_received":${trim(row.target_amount)},"amount_payment_display":"${amount} ${names.get(source)?.slice(1)},` +
    `"deposit_address":${text(row.deposit_address)},"deposit_currency":"${source}","exact_deposit_amount":${text(row.exact_deposit_amount)},` +
    `"tx_hash":${text(row.tx_hash)},${pixOut(row)}`
  );
}

function withdrawal(row: Row): string {
  const target = row.target_currency as string;
  return (
    `"amount_discounted":${trim(row.target_amount)},"amount_received":${trim(row.source_amount)},"currency_received":${names.get(target)},` +
    `"currency_receive_code":${assets.get(target)},"address":${text(row.wallet)},"tx_hash":${text(row.tx_hash)},` +
    `"explorer_url":"${EXPLORERS[target]}${row.tx_hash}","network_fee":${text(row.network_fee)},"group_id":${text(row.group_id)},"notes":${text(row.notes)}`
  );
}

function text(value: string | null | undefined): string {
  return value == null ? '""' : JSON.stringify(value);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function pooled(): { query: Query; end: () => Promise<unknown> } {
  const pool = new pg.Pool({ ...connection(), max: CONNECTIONS });
  const query: Query = async (name, sql, values) =>
    (await pool.query<Row>({ name, text: sql, values, types: AS_TEXT })).rows;
  return { query, end: () => pool.end() };
}

async function pipelined(): Promise<{ query: Query; end: () => Promise<unknown> }> {
  const clients = Array.from({ length: PIPELINED }, () => new pg.Client({ ...connection(), pipeline: true }));
  await Promise.all(clients.map((client) => client.connect()));
  let turn = 0;
  const query: Query = async (name, sql, values) => {
    turn = (turn + 1) % PIPELINED;
    return (await (clients[turn] as pg.Client).query<Row>({ name, text: sql, values, types: AS_TEXT })).rows;
  };
  return { query, end: () => Promise.all(clients.map((client) => client.end())) };
}

function connection() {
  return { connectionString: DATABASE_URL, options: '-c timezone=UTC -c datestyle=ISO' };
}
