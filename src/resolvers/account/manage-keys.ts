/** Issues and ends API keys (C-40). */
import { keyModeOf } from '../../base/account-mode.ts';
import { apiKeyHash, grantableScopes, newApiKey, randomBase62, type Scope } from '../../base/api-key.ts';
import { assert } from '../../base/assert.ts';
import { invalidParameters } from '../../base/errors.ts';
import { readHolder } from '../../store/account/accounts.ts';
import { storeKey } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/database.ts';

/**
 * Issues a key of the account's mode. The text of it is given here once and cannot be had again.
 *
 * @param options - `expiresAt`: null for a key without an end; `allowedCidrs`: networks it may be used from, none
 *   for everywhere.
 * @throws {GatewayError} `INVALID_PARAMETER` for a scope that no key of this account may have (C-40).
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
  const holder = await readHolder(database, accountId);
  assert(holder, 'an account that gets a key exists');
  const grantable = grantableScopes(holder);
  if (options.scopes.some((scope) => !grantable.includes(scope)))
    throw invalidParameters([{ parameter: 'scopes', message: `must be of ${grantable.join(', ')}` }]);
  const mode = keyModeOf(holder.mode);
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
