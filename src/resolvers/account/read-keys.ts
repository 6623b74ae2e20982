/**
 * Reads keys of the caller's account. The entry points check the scope: the result of an action is read with the scope
 * of that action.
 */
import { notFound } from '../../base/errors/errors.ts';
import { type ListedKey, listKeysValidFirst } from '../../store/account/api-keys.ts';
import type { Context } from '../services/context.ts';
import { API_KEYS_MAX } from './manage-keys.ts';

/** Keys of a list: all valid ones, and the newest ended ones up to the maximum. */
export const KEYS_LISTED_MAX = 2 * API_KEYS_MAX;

/** @returns the valid keys, then the newest ended ones; `KEYS_LISTED_MAX` at most. */
export function listApiKeys({ database, caller }: Context): Promise<ListedKey[]> {
  const which = { id: null, at: new Date(database.nowMs()), limit: KEYS_LISTED_MAX };
  return listKeysValidFirst(database, caller.accountId, which);
}

/** @returns the key, also one that has ended. @throws {GatewayError} `NOT_FOUND`. */
export async function readApiKey({ database, caller }: Context, id: string): Promise<ListedKey> {
  const which = { id, at: new Date(database.nowMs()), limit: 1 };
  const [key] = await listKeysValidFirst(database, caller.accountId, which);
  if (!key) throw notFound();
  return key;
}
