/** Account holders. */
import type { Database } from './database.ts';

/** Handle of the account that the first start provisions. */
export const SANDBOX_HANDLE = 'sandbox';

/**
 * Adds an account with its counters and the default settings of each template.
 *
 * @param options - `templates`: wire names; `handle`: a name to find the account by besides its id.
 * @returns its id.
 */
export async function createAccount(
  database: Database,
  name: string,
  options: { templates: readonly string[]; handle?: string },
): Promise<bigint> {
  const account = await database.prisma.account.create({
    data: {
      name,
      handle: options.handle ?? null,
      head: { create: {} },
      templateSettings: { create: options.templates.map((template) => ({ template })) },
    },
    select: { id: true },
  });
  return account.id;
}

/** @returns the id of the account with this id or handle, or undefined. */
export async function findAccount(database: Database, idOrHandle: string): Promise<bigint | undefined> {
  const where = /^[1-9]\d{0,17}$/.test(idOrHandle) ? { id: BigInt(idOrHandle) } : { handle: idOrHandle };
  const account = await database.prisma.account.findUnique({ where, select: { id: true } });
  return account?.id;
}

/** @returns the ids of all accounts. */
export async function allAccounts(database: Database): Promise<bigint[]> {
  const accounts = await database.prisma.account.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
  return accounts.map((account) => account.id);
}
