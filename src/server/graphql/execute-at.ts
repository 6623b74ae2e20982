/** Executes compiled queries on the server that their data come from (decision 0088). */
import { GatewayError } from '../../base/errors/errors.ts';
import type { Answer } from '../../compiled/compile.ts';
import { createLoaders } from '../../schema/loaders.ts';
import type { ProvedRead, ReadSource, Seen } from '../answers/read-source.ts';
import type { ServerContext } from './graphql-context.ts';

/**
 * Executes a query.
 * @param requested - undefined for a query that the version does not prove; then the primary answers it.
 */
export async function executeAt(
  source: ReadSource | undefined,
  context: ServerContext,
  requested: ProvedRead | undefined,
  execute: (context: ServerContext) => Promise<Answer>,
): Promise<Seen<Answer>> {
  if (!source) return { result: await execute(context), version: undefined };
  const { accountId } = context.caller;
  if (!requested) return { result: await execute(context), version: await source.presentVersion(accountId) };
  return source.prove(requested, async (database) => {
    if (database === context.database) return execute(context);
    const result = await execute({ ...context, database, loaders: createLoaders(database, accountId) });
    for (const { originalError } of result.errors ?? [])
      if (originalError && !(originalError instanceof GatewayError)) throw originalError;
    return result;
  });
}
