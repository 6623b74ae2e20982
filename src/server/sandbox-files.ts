/** What a sandbox leaves for those who use it: `sandbox.json`, and a header file for curl. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiKeyHash, isApiKey, SCOPES } from '../base/api-key.ts';
import { createKey } from '../resolvers/manage-keys.ts';
import { findValidKey } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';

/** What `sandbox.json` holds. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly graphqlUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
}

/** Paths below the home folder. */
export function sandboxPaths(home: string) {
  return { json: join(home, 'sandbox.json'), header: join(home, 'sandbox.header') };
}

/**
 * Writes the files, readable by their owner only. The key of an earlier start is kept while it is valid.
 *
 * @returns the sandbox, and whether its key is new.
 */
export async function writeSandbox(
  database: Database,
  accountId: bigint,
  { home, publicUrl }: { home: string; publicUrl: string },
): Promise<{ sandbox: Sandbox; isNewKey: boolean }> {
  const kept = await keptKey(database, accountId, home);
  const apiKey =
    kept ??
    (
      await createKey(database, accountId, {
        name: 'sandbox',
        mode: 'test',
        scopes: SCOPES,
        expiresAt: null,
        allowedCidrs: [],
      })
    ).apiKey;
  const sandbox = {
    baseUrl: publicUrl,
    graphqlUrl: `${publicUrl}/graphql`,
    apiKey,
    accountId: String(accountId),
  };
  mkdirSync(home, { recursive: true });
  const paths = sandboxPaths(home);
  writePrivate(paths.json, `${JSON.stringify(sandbox, null, 2)}\n`);
  writePrivate(paths.header, `Authorization: Bearer ${apiKey}\n`);
  return { sandbox, isNewKey: kept === undefined };
}

async function keptKey(database: Database, accountId: bigint, home: string): Promise<string | undefined> {
  let kept: Partial<Sandbox>;
  try {
    kept = JSON.parse(readFileSync(sandboxPaths(home).json, 'utf8'));
  } catch {
    return undefined;
  }
  if (!kept.apiKey || !isApiKey(kept.apiKey)) return undefined;
  const key = await findValidKey(database, apiKeyHash(kept.apiKey));
  return key?.accountId === accountId ? kept.apiKey : undefined;
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  // The mode above only counts for a new file.
  chmodSync(path, 0o600);
}
