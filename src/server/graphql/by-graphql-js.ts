/**
 * Execution by graphql-js of the operations that Yoga answers; introspection shows each caller the schema of its
 * scopes.
 */
import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isPlatformScope } from '../../base/access/actions.ts';
import { merchantContract } from '../../schema/contracts.ts';
import type { ServerContext } from './graphql-context.ts';

/**
 * Yoga has an executor of its own with small differences; this one answers an operation as its compiled repetition
 * does.
 */
export function byGraphqlJs(schema: GraphQLSchema): Plugin<ServerContext, ServerContext> {
  const merchants = merchantContract(schema);
  const executeCut = (args: ExecutionArgs) => execute({ ...args, schema: merchants });
  return {
    onExecute: ({ args: { document, contextValue }, setExecuteFn }) => {
      const isCut = selectsTypes(document) && !contextValue.caller.scopes.some(isPlatformScope);
      const run = isCut ? executeCut : execute;
      const { executed } = contextValue;
      setExecuteFn(executed ? (args: ExecutionArgs) => extended(run(args), executed) : run);
    },
  };
}

/** @returns the result, with the extensions that are known after the execution. */
async function extended(
  work: ExecutionResult | Promise<ExecutionResult>,
  executed: () => Promise<object | undefined>,
): Promise<ExecutionResult> {
  const result = await work;
  const extensions = await executed();
  return extensions ? { ...result, extensions: { ...result.extensions, ...extensions } } : result;
}

/** @returns whether a document has an introspection field other than `__typename`. */
export function selectsTypes(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Field: ({ name }) => {
      isFound ||= name.value === '__schema' || name.value === '__type';
      return isFound ? BREAK : undefined;
    },
  });
  return isFound;
}
