/** Issues and ends API keys (C-40). */
import { keyModeOf } from '../../base/account-mode.ts';
import { apiKeyHash, newApiKey, randomBase62, type Scope } from '../../base/api-key.ts';
import { assert } from '../../base/assert.ts';
import { readMode } from '../../store/account/accounts.ts';
import { storeKey } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/database.ts';

/**
 * Issues a key of the account's mode. The text of it is given here once and cannot be had again.
 *
 * @param options - `expiresAt`: null for a key without an end; `allowedCidrs`: networks it may be used from, none
 *   for everywhere.
 */
export async function createKey(
  database: Database,
  accountId: bigint,
  options: {
    name: string;
    scopes: readonly Scope[];
    expiresAt: Date | null;
    allowedCidrs: readonly string[];
  },
): Promise<{ keyId: string; apiKey: string }> {
  const accountMode = await readMode(database, accountId);
  assert(accountMode, 'an account that gets a key exists');
  const mode = keyModeOf(accountMode);
  const apiKey = newApiKey(mode);
  const keyId = `key_${randomBase62(16)}`;
  await storeKey(database, {
    ...options,
    mode,
    accountId,
    id: keyId,
    hash: apiKeyHash(apiKey),
    hint: apiKey.slice(-4),
  });
  return { keyId, apiKey };
}
