/** The route table of `/v2`: input, requirements and answer of each route. OpenAPI is generated from it. */

import { assert } from '../base/errors/assert.ts';
import { Violations } from '../base/errors/violations.ts';
import { readBalances } from '../resolvers/ledger/read-balances.ts';
import { readStatement, type StatementFilterInput } from '../resolvers/ledger/read-statement.ts';
import type { ListFilterInput } from '../resolvers/transactions/filter-input.ts';
import { listTransactions } from '../resolvers/transactions/list-transactions.ts';
import { readTransaction } from '../resolvers/transactions/read-transaction.ts';
import { readStatementEntries } from '../store/ledger/ledger.ts';
import type { Registry } from '../templates/registry.ts';
import { balanceEnvelope } from '../wire/balance.ts';
import { envelopeWriter } from '../wire/envelope.ts';
import { listEnvelope } from '../wire/list.ts';
import { statementEnvelope } from '../wire/statement.ts';
import { actionsRoute } from './actions-route.ts';
import { eventRoutes } from './event-routes.ts';
import { FAMILIES, type RestFamily } from './families.ts';
import { parsePage, parseQuery, type Query } from './input.ts';
import { recordRoutes } from './record-routes.ts';
import { type RestPolicy, type Route, type RouteEntry, type RouteTable, routeTable } from './route.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { transactionActionRoutes } from './transaction-action-routes.ts';
import { creationRoutes } from './write-routes.ts';

const PAGE_PARAMETERS = ['limit', 'offset'];
/** Query parameters of the statement, each with its filter (`service.md` 4.3). */
const STATEMENT_FILTERS = {
  currency: 'currency',
  account_type: 'subAccount',
  date_from: 'dateFrom',
  date_to: 'dateTo',
} as const;

/** @returns the whole table. */
export function restRoutes(registry: Registry, policy: RestPolicy): RouteTable {
  const writer = envelopeWriter(registry, policy);
  const reads = [
    ...FAMILIES.map((family) => singleRoute(family, writer)),
    ...FAMILIES.map((family) => listRoute(family, writer, policy)),
    ...FAMILIES.map(actionsRoute),
    statementRoute(writer, policy),
    BALANCE_ROUTE,
  ].map((entry) => readRoute(entry, policy));
  return routeTable([
    ...reads,
    ...eventRoutes(policy),
    ...creationRoutes(writer, policy),
    ...transactionActionRoutes(writer, policy),
    ...recordRoutes(policy),
    ...sandboxRoutes(writer, policy),
  ]);
}

function readRoute({ respond, ...entry }: RouteEntry, policy: RestPolicy): Route {
  return {
    ...entry,
    method: 'GET',
    scope: 'read',
    status: 200,
    handle: async (context, { id, search }) => {
      const violations = new Violations();
      const query = parseQuery(search, entry.parameters, policy, violations);
      const body = await respond(context, id, query, violations);
      return { status: 200, body, ignored: query.ignored, headers: {} };
    },
  };
}

type Writer = ReturnType<typeof envelopeWriter>;

function singleRoute(family: RestFamily, writer: Writer): RouteEntry {
  return {
    path: `/v2/${family.single}/{id}`,
    summary: `Reads one transaction of the family ${family.family}`,
    parameters: [],
    answer: { kind: 'transaction', family },
    isProved: true,
    respond: async (context, id, _query, violations) => {
      violations.refuse();
      return writer.envelope(await readTransaction(context, id, family.family));
    },
  };
}

function listRoute(family: RestFamily, writer: Writer, policy: RestPolicy): RouteEntry {
  return {
    path: `/v2/${family.list}`,
    summary: `Lists the ${family.family}, newest first`,
    parameters: [...PAGE_PARAMETERS, ...Object.keys(family.filters)],
    answer: { kind: 'list', family },
    isProved: true,
    respond: async (context, _id, query, violations) => {
      const page = parsePage(query, policy, violations);
      const filters = pick<ListFilterInput>(query, family.filters);
      const found = await listTransactions(context, family.family, filters, page, violations);
      assert(found.total !== null, 'a counted list has a total');
      return listEnvelope(family.version, found.total, page, found.rows.map(writer.envelope));
    },
  };
}

function statementRoute(writer: Writer, policy: RestPolicy): RouteEntry {
  return {
    path: '/v2/statement',
    summary: 'The account statement, newest line first',
    parameters: [...PAGE_PARAMETERS, ...Object.keys(STATEMENT_FILTERS)],
    answer: { kind: 'statement' },
    isProved: true,
    respond: async (context, _id, query, violations) => {
      const page = parsePage(query, policy, violations);
      const filters = pick<StatementFilterInput>(query, STATEMENT_FILTERS);
      const { total, lines } = await readStatement(context, readStatementEntries, filters, page, violations);
      return statementEnvelope(total, page, lines, writer.embedded);
    },
  };
}

const BALANCE_ROUTE: RouteEntry = {
  path: '/v2/balance',
  summary: 'The balances by currency and sub-account',
  parameters: [],
  answer: { kind: 'balance' },
  respond: async (context, _id, _query, violations) => {
    violations.refuse();
    return balanceEnvelope(await readBalances(context));
  },
};

/** The given parameters as filters. */
function pick<Input>(query: Query, filters: Readonly<Record<string, string>>): Input {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([parameter, filter]) => {
      const value = query.get(parameter);
      return value ? [[filter, value]] : [];
    }),
  ) as Input;
}
