/** `/mcp`: the tools for agents over HTTP, each request by itself, with the rights of its key. */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import type { Answer, Execute } from '../mcp/execute.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { KeyRecord } from '../store/account/api-keys.ts';
import type { KeyLimits } from './graphql/graphql-context.ts';
import { readText } from './graphql/graphql-params.ts';
import type { GraphqlServer } from './graphql.ts';
import { checkMethod } from './http/check-request.ts';
import { type Exchange, send } from './http/http.ts';
import type { Authenticate } from './sign-in/authenticate.ts';

/** Path of the tools. */
export const MCP_PATH = '/mcp';

/** Services of the tools. */
export interface McpParts {
  /** Counts a request; the operations of a tool are counted during execution. */
  readonly admit: (
    exchange: Exchange,
  ) => Promise<{ readonly context: Context; readonly headers: Record<string, string> }>;
  readonly limitsOf: (exchange: Exchange, caller: KeyRecord, authenticate: Authenticate) => KeyLimits;
  /** Checks the key again: it may be revoked while the body arrives, or while a tool waits. */
  readonly authenticate: Authenticate;
  readonly api: Pick<GraphqlServer, 'execute'>;
  readonly publicUrl: string;
}

const METHODS = ['POST'];

/** @returns the handler of requests at `/mcp`. The protocol's library is loaded at the first request. */
export function mcpServing(parts: McpParts): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    exchange.route = MCP_PATH;
    exchange.allowed = METHODS;
    checkMethod(exchange.request.method, METHODS);
    const { context, headers } = await parts.admit(exchange);
    const body = await readText(exchange);
    const limits = parts.limitsOf(exchange, context.caller, parts.authenticate);
    const execute: Execute = async (query, variables) =>
      (await parts.api.execute(exchange, context, { query, variables: { ...variables } }, limits)) as Answer;
    const handler = await handlerOf({ execute, consoleUrl: `${parts.publicUrl}${CONSOLE_PATH}` });
    try {
      const answer = await handler.fetch(webRequest(exchange, parts.publicUrl, body));
      const type = answer.headers.get('content-type') ?? 'application/json';
      send(exchange, answer.status, type, await answer.text(), headers);
    } finally {
      await handler.close();
    }
  };
}

async function handlerOf(context: {
  readonly execute: Execute;
  readonly consoleUrl: string;
}): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { mcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/server.ts'),
  ]);
  return createMcpHandler(() => mcpServer(context));
}

/** @returns the request in the library's form, without its credentials. */
function webRequest({ request, path }: Exchange, publicUrl: string, body: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !['authorization', 'cookie', 'content-length'].includes(name))
      headers.set(name, value);
  return new Request(publicUrl + path, { method: 'POST', headers, body });
}
