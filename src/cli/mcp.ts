/** `crossramp mcp`: the tools for agents over standard input and output. */
import { Command } from 'commander';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import type { Answer, Execute } from '../mcp/execute.ts';
import { type Api, apiNamed } from './follow-events.ts';

/** Longest wait for an answer. Unit: ms. */
const ANSWER_MS = 30_000;

/** Serves the tools until standard input ends. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'Serves tools for agents (Model Context Protocol) over standard input and output: prices, payments, balances. Money leaves the account only when a person confirms it in the console.',
    )
    .option('--base-url <url>', 'URL of the gateway; by default, the one in sandbox.json')
    .option('--key <key>', 'API key; by default, the one in sandbox.json')
    .action(async (options: { readonly baseUrl?: string; readonly key?: string }) => {
      const api = apiNamed(options);
      const [{ serveStdio }, { mcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server/stdio'),
        import('../mcp/server.ts'),
      ]);
      const context = { execute: executeAt(api), consoleUrl: `${api.baseUrl}${CONSOLE_PATH}` };
      await new Promise<void>((resolve) => {
        const served = serveStdio(() => mcpServer(context));
        process.stdin.once('end', () => void served.close().then(resolve));
      });
    });
}

/** @returns a function that has a gateway execute a document over HTTP. */
function executeAt({ baseUrl, apiKey }: Api): Execute {
  return async (query, variables) => {
    const answer = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => undefined);
    if (!answer)
      return {
        errors: [
          { message: `the gateway at ${baseUrl} is out of reach`, extensions: { code: 'UNAVAILABLE' } },
        ],
      };
    return (await answer.json()) as Answer;
  };
}
