/** The files of a running sandbox: `sandbox.json` with its keys and URLs, and a header file for curl. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiKeyHash, grantableScopes, isApiKey } from '../../base/access/api-key.ts';
import { makeFolder } from '../../base/process/make-folder.ts';
import { hasEnded, thisProcess, withHomeLock } from '../../postgres/embedded-postgres.ts';
import { createKey } from '../../resolvers/account/manage-keys.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import { findValidKey } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';

/** Content of the file. */
interface SandboxFile {
  readonly baseUrl: string;
  readonly graphqlUrl: string;
  /** Key with all permissions on the sandbox account. */
  readonly apiKey: string;
  /** Key with all permissions of the operator, on any sandbox account. */
  readonly platformKey: string;
  readonly accountId: string;
}

/** The sandbox of a running gateway. */
export interface Sandbox extends SandboxFile {
  readonly isNewKey: boolean;
  readonly isNewPlatformKey: boolean;
  readonly paths: { readonly json: string; readonly header: string };
  /** Description of another running gateway that holds `sandbox.json`, if any. */
  readonly holder: string | undefined;
  /** Releases `sandbox.json`; a gateway that did not hold it deletes its own files. */
  readonly release: () => void;
}

/** The gateway that owns `sandbox.json` and `sandbox.header`. */
interface Holder {
  /** See `thisProcess`. */
  readonly process: string;
  readonly baseUrl: string;
}

/**
 * Writes the files, readable by their owner only, and claims `sandbox.json` for this process. When another running
 * gateway of the same home holds it, this process writes `sandbox-PORT.json` and its header file instead. The keys of
 * an earlier start stay as long as they are valid.
 */
export async function writeSandbox(
  database: Database,
  accountId: bigint,
  { home, port, publicUrl }: { home: string; port: number; publicUrl: string },
): Promise<Sandbox> {
  makeFolder(home);
  const other = await claim(home, publicUrl);
  const name = other ? `sandbox-${port}` : 'sandbox';
  const paths = { json: join(home, `${name}.json`), header: join(home, `${name}.header`) };
  const files = [paths.json, join(home, 'sandbox.json')];
  const own = await keyOf(database, accountId, files, 'apiKey');
  const platform = await keyOf(database, await platformAccount(database, 'sandbox'), files, 'platformKey');
  const { apiKey } = own;
  const sandbox = {
    baseUrl: publicUrl,
    graphqlUrl: `${publicUrl}/graphql`,
    apiKey,
    platformKey: platform.apiKey,
    accountId: String(accountId),
  };
  writePrivate(paths.json, `${JSON.stringify(sandbox, null, 2)}\n`);
  writePrivate(paths.header, `Authorization: Bearer ${apiKey}\n`);
  return {
    ...sandbox,
    isNewKey: own.isNew,
    isNewPlatformKey: platform.isNew,
    paths,
    holder: other && `The gateway at ${other.baseUrl} (process ${other.process.split('-')[0]})`,
    release: () => {
      for (const path of other ? Object.values(paths) : [holderPath(home)]) rmSync(path, { force: true });
    },
  };
}

/** @returns the other gateway that holds `sandbox.json`; undefined when this process holds it. */
async function claim(home: string, baseUrl: string): Promise<Holder | undefined> {
  const path = holderPath(home);
  return withHomeLock(home, async () => {
    const present = readJson<Holder>(path);
    if (present?.process && !hasEnded(present.process)) return present as Holder;
    writePrivate(path, JSON.stringify({ process: thisProcess(), baseUrl } satisfies Holder));
    return undefined;
  });
}

const holderPath = (home: string) => join(home, 'sandbox.holder');

type KeyName = 'apiKey' | 'platformKey';

/** Reads the key from one of the files while it is valid; otherwise makes a new one. */
async function keyOf(
  database: Database,
  accountId: bigint,
  files: readonly string[],
  name: KeyName,
): Promise<{ readonly apiKey: string; readonly isNew: boolean }> {
  for (const path of files) {
    const stored = await storedKey(database, accountId, path, name);
    if (stored !== undefined) return { apiKey: stored, isNew: false };
  }
  const { apiKey } = await createKey(database, accountId, {
    name: 'sandbox',
    scopes: grantableScopes({ isPlatform: name === 'platformKey' }),
    expiresAt: null,
    allowedCidrs: [],
    cell: database.cell,
  });
  return { apiKey, isNew: true };
}

async function storedKey(
  database: Database,
  accountId: bigint,
  path: string,
  name: KeyName,
): Promise<string | undefined> {
  const apiKey = readJson<SandboxFile>(path)?.[name];
  if (!apiKey || !isApiKey(apiKey)) return undefined;
  const key = await findValidKey(database, apiKeyHash(apiKey));
  return key?.accountId === accountId ? apiKey : undefined;
}

/** @returns undefined for a missing or broken file. */
function readJson<Value>(path: string): Partial<Value> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  // The mode above applies to a new file only.
  chmodSync(path, 0o600);
}
