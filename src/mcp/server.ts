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
import { GatewayError } from '../base/errors/errors.ts';
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

/** Schema of an argument, as far as its refusal says it. */
interface ArgumentSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/**
 * @returns the schema of arguments; its refusals name each argument and its accepted form, and unknown arguments, which the validator of
 * the package does not.
 */
function schemaOf<Arguments>(input: JsonSchemaType) {
  const { validate, ...standard } = fromJsonSchema<Arguments>(input)['~standard'];
  const check: typeof validate = async (value) => {
    const result = await validate(value);
    return result.issues ? { issues: [{ message: refusalOf(input, Object(value)) }] } : result;
  };
  return { '~standard': { ...standard, validate: check } };
}

/** @returns the reason why arguments do not fit the schema. */
function refusalOf(input: JsonSchemaType, supplied: Readonly<Record<string, unknown>>): string {
  const { properties, required } = input as {
    readonly properties: Readonly<Record<string, ArgumentSchema>>;
    readonly required: readonly string[];
  };
  const names = Object.keys(properties);
  const unknown = Object.keys(supplied).filter((name) => !names.includes(name));
  if (unknown.length > 0) return `there is no argument ${unknown.join(', ')}; there are ${names.join(', ')}`;
  return Object.entries(properties)
    .flatMap(([name, schema]) => {
      if (!(name in supplied)) return required.includes(name) ? [`${name}: is required`] : [];
      return isAccepted(schema, supplied[name]) ? [] : [`${name}: must be ${formOf(schema)}`];
    })
    .join('; ');
}

function isAccepted(schema: ArgumentSchema, value: unknown): boolean {
  if (schema.enum) return schema.enum.includes(value as string);
  if (schema.type === 'integer')
    return (
      Number.isInteger(value) &&
      Number(value) >= (schema.minimum ?? 0) &&
      Number(value) <= (schema.maximum ?? 0)
    );
  return (
    typeof value === 'string' &&
    value.length <= (schema.maxLength ?? value.length) &&
    new RegExp(schema.pattern ?? '').test(value)
  );
}

/** @returns the accepted form of an argument, in words. */
function formOf(schema: ArgumentSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'integer') return `an integer from ${schema.minimum} to ${schema.maximum}`;
  // Amounts alone have a pattern.
  if (schema.pattern) return 'decimal text, such as "150.00", without a sign, a comma or a currency';
  return schema.maxLength ? `text of at most ${schema.maxLength} characters` : 'text';
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
    const refusal = error instanceof GatewayError ? new ToolRefusal(error.message, error.code) : error;
    if (!(refusal instanceof ToolRefusal)) throw refusal;
    return { isError: true, content: [{ type: 'text', text: refusal.text }] };
  }
}
