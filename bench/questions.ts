/** What is asked: the same records by REST, by the gateway's GraphQL and that of others, and by PostGraphile's. */
import type pg from 'pg';
import { GATEWAY_DOCUMENTS, POSTGRAPHILE_DOCUMENTS } from './documents.ts';
import type { ServerName } from './rivals.ts';
import type { SeededAccount } from './seed.ts';

/** An HTTP request. */
export interface Prompt {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** Who answers: a server, or the one whose answers are unchanged, asked with their ETags. */
export type RivalName = ServerName | 'gateway, 304';

/** A question to one server. */
export interface Cell {
  readonly question: string;
  readonly side: 'REST' | 'GraphQL';
  readonly rival: RivalName;
  /** Asked in turn. */
  readonly asks: readonly Prompt[];
}

/** An account that is asked about. */
export interface AskedAccount extends SeededAccount {
  readonly apiKey: string;
}

const STATEMENT = { currency: 'USDT_TRX', subAccount: 'available' };
const REST_RIVALS: readonly RivalName[] = [
  'gateway',
  'gateway, unchanged',
  'hand-written',
  // Not beside the one of the same process, which would come to its turn warm.
  'gateway, 304',
  'hand-written, pipelined',
];
/** They answer the gateway's documents. */
const DOCUMENT_RIVALS: readonly RivalName[] = [
  'gateway, unchanged',
  'hand-written',
  'hand-written, pipelined',
  'Mercurius',
  'Yoga',
];
/** Different records for Q1, spread over the account. */
const SINGLES = 100;

/** @returns all cells of an account, rivals of one question beside each other. */
export async function cellsOf(owner: pg.Client, account: AskedAccount): Promise<Cell[]> {
  const end2ends = await singlesOf(owner, account);
  const ledgerAccountId = await ledgerAccountOf(owner, account);
  const accountId = String(account.id);
  const rest = (question: string, paths: readonly string[]): Cell[] =>
    REST_RIVALS.map((rival) => ({
      question,
      side: 'REST',
      rival,
      asks: paths.map((path) => ({ method: 'GET', path })),
    }));
  const graphql = (
    question: string,
    documents: readonly Prompt[],
    postgraphile: readonly Prompt[],
    rivals: readonly RivalName[] = DOCUMENT_RIVALS,
  ): Cell[] => [
    ...(['gateway', ...rivals] as const).map(
      (rival): Cell => ({ question, side: 'GraphQL', rival, asks: documents }),
    ),
    { question, side: 'GraphQL', rival: 'PostGraphile', asks: postgraphile },
  ];
  const pages = (name: string, options: { counted: boolean }, rivals?: readonly RivalName[]) => [
    ...graphql(
      `Q2 list page${name}`,
      [post(GATEWAY_DOCUMENTS.list(options), {})],
      [post(POSTGRAPHILE_DOCUMENTS.list(options), { accountId })],
      rivals,
    ),
    ...graphql(
      `Q3 statement page${name}`,
      [post(GATEWAY_DOCUMENTS.statement(options), { filter: STATEMENT })],
      [post(POSTGRAPHILE_DOCUMENTS.statement(options), { accountId, ledgerAccountId })],
      rivals,
    ),
  ];
  return [
    ...rest(
      'Q1 single',
      end2ends.map((end2end) => `/v2/onramp/${end2end}`),
    ),
    ...rest('Q2 list page', ['/v2/onramps?limit=20']),
    ...rest('Q3 statement page', [
      `/v2/statement?limit=20&currency=${STATEMENT.currency}&account_type=${STATEMENT.subAccount}`,
    ]),
    ...rest('Q3 of all sub-accounts', ['/v2/statement?limit=20']),
    ...graphql(
      'Q1 single',
      end2ends.map((end2end) => post(GATEWAY_DOCUMENTS.single, { end2end })),
      end2ends.map((end2end) => post(POSTGRAPHILE_DOCUMENTS.single, { accountId, end2end })),
    ),
    ...pages('', { counted: true }),
    ...pages(' without total', { counted: false }, []),
  ];
}

/**
 * What an answer says, whoever gave it: the total, and of each record its id and one exact amount.
 *
 * @throws {Error} when the answer is not one.
 */
export function factsOf(text: string): string {
  const body = JSON.parse(text);
  if (body.errors || body.code) throw new Error(`refused: ${text.slice(0, 400)}`);
  const root = body.data ? Object.values(body.data)[0] : body;
  const page = root as Record<string, unknown>;
  const nodes = (page.results ?? page.entries ?? page.nodes ?? page.edges ?? [page]) as Record<
    string,
    unknown
  >[];
  const facts = nodes.map((each) => {
    const node = (each.node ?? each) as Record<string, unknown>;
    const transaction = (node.transaction ?? node) as Record<string, unknown>;
    return [node.number ?? node.rowId ?? node.id, transaction.end2end ?? transaction.end2End].join(' ');
  });
  return [page.total ?? page.totalCount, ...facts].join('\n');
}

function post(query: string, variables: Record<string, unknown>): Prompt {
  const line = query.replace(/\s+/g, ' ');
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: line, variables }) };
}

async function singlesOf(owner: pg.Client, account: AskedAccount): Promise<string[]> {
  const { rows } = await owner.query(
    `select end2end from transaction where account_id = $1 and template = 'onramp_instant' and component = 'success'
       and id % greatest($2 / 2000, 1) = 0 order by id limit $3`,
    [account.id, account.transactions, SINGLES],
  );
  return rows.map((row) => row.end2end);
}

async function ledgerAccountOf(owner: pg.Client, account: AskedAccount): Promise<string> {
  const { rows } = await owner.query(
    `select id from ledger_account where account_id = $1 and currency = $2 and sub_account = 1`,
    [account.id, STATEMENT.currency],
  );
  return rows[0].id;
}
