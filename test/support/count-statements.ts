/**
 * Counts what the gateway sends to PostgreSQL: statements, database transactions, bytes of the log. Counts say what work costs
 * on every machine alike, which times do not.
 */
import pg from 'pg';

/** What something cost. */
export interface Costs {
  /** Statements that were sent, `begin` and `commit` among them. */
  readonly statements: number;
  /** Database transactions, those of a single statement among them. */
  readonly transactions: number;
  /** How often each statement was sent, by its name or text. */
  readonly byName: ReadonlyMap<string, number>;
}

/** Pools of the gateway; those of the tests look behind it. */
const APPLICATION = 'crossramp';
/**
 * What is done from time to time, whatever else happens: keys are believed for half a second, rates are kept every five seconds,
 * leases of long work are renewed, the clock of the sandbox is read for each look at jobs.
 */
const BY_TIME = /^(?:api_key|rate_store|job_renew|sandbox_ahead)/;
/** What is looked for from time to time, and counts where it is found. */
const LOOKS = new Set(['job_claim']);
const SESSION = /^select set_config\('role'/;
const FLUSH = 'select pg_stat_force_next_flush()';

interface Sent {
  readonly name: string;
  readonly text: string;
  readonly client: pg.Client;
  /** Rows that it gave or changed; undefined until it is answered. */
  rows: number | undefined;
}

const clients = new Set<pg.Client>();
let sent: Sent[] = [];

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...args: never[]) {
  const given = args[0] as unknown as string | { name?: string; text: string };
  const { name, text } = nameAndText(given);
  const { application_name: application } = (
    this as unknown as { connectionParameters: { application_name?: string } }
  ).connectionParameters;
  if (application !== APPLICATION || SESSION.test(name) || name === FLUSH)
    return query.apply(this, args as never);
  if (!clients.has(this)) {
    clients.add(this);
    this.once('end', () => clients.delete(this));
  }
  const one: Sent = { name, text, client: this, rows: undefined };
  sent.push(one);
  const heard = (result: pg.QueryResult | undefined) => {
    one.rows = result?.rowCount ?? 0;
  };
  const at = args.findIndex((each) => typeof each === 'function');
  if (at >= 0) {
    const tell = args[at] as unknown as (error: Error | undefined, result: pg.QueryResult) => void;
    args[at] = ((error: Error | undefined, result: pg.QueryResult) => {
      heard(result);
      tell(error, result);
    }) as never;
    return query.apply(this, args as never);
  }
  const answer = query.apply(this, args as never) as unknown as Promise<pg.QueryResult>;
  answer.then(heard, () => heard(undefined));
  return answer;
} as typeof query;

function nameAndText(given: string | { name?: string; text: string }) {
  if (typeof given === 'string') return { name: given, text: given };
  return { name: given.name || given.text, text: given.text };
}

/** Begins to count anew. */
export function beginCount(): void {
  sent = [];
}

/** @returns what was sent since the count began, without what comes by time alone. */
export function counted(): Costs {
  const open = new Set<pg.Client>();
  const byName = new Map<string, number>();
  let transactions = 0;
  for (const { name, client, rows } of sent) {
    if (BY_TIME.test(name) || (LOOKS.has(name) && rows === 0)) continue;
    byName.set(name, (byName.get(name) ?? 0) + 1);
    if (name === 'begin') open.add(client);
    else if (name === 'commit' || name === 'rollback') open.delete(client);
    if (!open.has(client)) transactions += 1;
  }
  const statements = [...byName.values()].reduce((sum, each) => sum + each, 0);
  return { statements, transactions, byName };
}

/** @returns how many rows the last statement of this name gave. */
export function rowsOf(name: string): number | undefined {
  return sent.findLast((each) => each.name === name)?.rows;
}

/** @returns the texts of all prepared statements that were sent since the count began, by their names. */
export function textsSent(): ReadonlyMap<string, string> {
  return new Map(sent.filter(({ name, text }) => name !== text).map(({ name, text }) => [name, text]));
}

/** @returns the texts of all statements that were sent since the count began, also of those without a name. */
export function allTextsSent(): ReadonlySet<string> {
  return new Set(sent.map(({ text }) => text));
}

/**
 * @param owner - a connection that is not counted.
 * @returns the bytes that the connections of the gateway have written to the log so far; undefined where the server does not
 *   say, before version 18.
 */
export async function walBytes(owner: pg.Pool): Promise<bigint | undefined> {
  const { rows: versions } = await owner.query(
    `select current_setting('server_version_num')::int as version`,
  );
  if (versions[0].version < 180_000) return undefined;
  for (const client of clients) await client.query(FLUSH);
  const pids = [...clients].map((client) => (client as unknown as { processID: number }).processID);
  const { rows } = await owner.query(
    `select coalesce(sum(w.wal_bytes), 0)::bigint as bytes
       from unnest($1::int[]) pid cross join lateral pg_stat_get_backend_wal(pid) w`,
    [pids],
  );
  return BigInt(rows[0].bytes);
}
