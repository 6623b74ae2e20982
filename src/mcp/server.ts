/**
 * The server of the Model Context Protocol: lists the tools, runs them, and returns refusals as results that a model
 * reads.
 */
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
} from '@modelcontextprotocol/server';
import { VERSION } from '../base/process/version.ts';
import { ToolRefusal } from './execute.ts';
import { TOOLS, type ToolContext } from './tools.ts';

const INSTRUCTIONS =
  'Crossramp Gateway converts Brazilian PIX payments (BRL) to crypto and back. Amounts are decimal text. Give every order an idempotency_key of its own and repeat a call that failed with the same one. Money leaves the account only when a person confirms it in the console: give them the link confirm_at. Webhooks are set up over REST: /llms.txt of the gateway leads to the documents.';

/** @returns a server with all tools, for one connection or one request. */
export function mcpServer(context: ToolContext): McpServer {
  const server = new McpServer({ name: 'crossramp', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const { name, description, input, isRead, run } of TOOLS) {
    server.registerTool(
      name,
      {
        description,
        inputSchema: schemaOf<Parameters<typeof run>[1]>(input),
        annotations: { readOnlyHint: isRead, destructiveHint: false, openWorldHint: false },
      },
      async (args) => resultOf(() => run(context, args)),
    );
  }
  return server;
}

/** @returns the schema of arguments; its refusal names unknown ones, which the validator of the package leaves out. */
function schemaOf<Arguments>(input: JsonSchemaType) {
  const { validate, ...standard } = fromJsonSchema<Arguments>(input)['~standard'];
  const names = Object.keys(Object(input).properties);
  const check: typeof validate = (value) => {
    const unknown = Object.keys(Object(value)).filter((name) => !names.includes(name));
    if (unknown.length === 0) return validate(value);
    return {
      issues: [{ message: `there is no argument ${unknown.join(', ')}; there are ${names.join(', ')}` }],
    };
  };
  return { '~standard': { ...standard, validate: check } };
}

/** @returns the result of a tool; a refusal is a result too, so that the model can correct its call. */
async function resultOf(run: () => Promise<object>): Promise<CallToolResult> {
  try {
    const value = await run();
    return {
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value as Record<string, unknown>,
    };
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}` }] };
  }
}
