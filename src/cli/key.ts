/** `crossramp key create|list|rotate|revoke`. */

import { Command, InvalidArgumentError, Option } from 'commander';
import { PLATFORM_SCOPES, SCOPES, type Scope } from '../base/access/api-key.ts';
import { isCidr } from '../base/access/cidr.ts';
import { known } from '../base/errors/assert.ts';
import { isoMillis, parseInstant } from '../base/time/instant.ts';
import {
  createKey,
  KEY_OVERLAP_SECONDS,
  replaceKey,
  revokeApiKey,
} from '../resolvers/account/manage-keys.ts';
import { audited } from '../resolvers/checks/audited.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { type Context, requirePermission } from '../resolvers/services/context.ts';
import { readMode } from '../store/account/accounts.ts';
import { accountOfKey, findOwnKey, type ListedKey, listKeys } from '../store/account/api-keys.ts';
import { StoreError } from '../store/connection/check-server.ts';
import type { Database } from '../store/connection/database.ts';
import { uses } from './command.ts';
import { LIVE_HOLDER } from './output.ts';
import {
  type AccountOptions,
  accountOrPlatform,
  asHolder,
  onServices,
  onStore,
  operatorContext,
} from './with-store.ts';

const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...PLATFORM_SCOPES];
const ACCOUNT = 'id of the account, "sandbox", or "platform" for keys of the operator';

interface NewKey extends AccountOptions {
  readonly scopes: Scope[];
  readonly name: string;
  readonly expires?: Expiry;
  readonly allow: string[];
}

/** The command `key`. */
export function keyCommand(): Command {
  const key = new Command('key').description('Issues, lists, replaces and revokes API keys.');
  addCreate(key);
  const list = key
    .command('list')
    .description('Lists the keys of an account with their last use, newest first.')
    .requiredOption('--account <id>', ACCOUNT)
    .option('--live', LIVE_HOLDER);
  uses(list, {
    on: onStore,
    run: async (database, options: AccountOptions) => {
      const keys = await listKeys(database, await accountOrPlatform(database, options));
      return { keys: keys.map(shown), now: new Date(database.nowMs()).toISOString() };
    },
    json: ({ keys }) => keys,
    text: ({ keys, now }) => keys.map((each) => lineOf(each, now)).join('\n') || 'no keys',
  });
  addRotate(key);
  uses(ofKey(key.command('revoke').description('Revokes a key; every process refuses it within a second.')), {
    on: onServices,
    run: async (services, options: AccountOptions, id: string) => {
      const accountId = await keyHolder(services.database, id, options);
      await revokeApiKey(await operatorContext(services, accountId), id);
    },
    json: (_done, _options, keyId) => ({ keyId, revoked: true }),
    text: (_done, _options, keyId) => `${keyId} revoked`,
  });
  return key;
}

function ofKey(command: Command): Command {
  return command
    .argument('<key id>', 'as "key create" and "key list" show it')
    .option('--account <id>', `fail unless the key is of this account: ${ACCOUNT}`)
    .option('--live', LIVE_HOLDER);
}

function shown({ accountId, id, ...rest }: ListedKey) {
  return {
    keyId: id,
    accountId: String(accountId),
    ...rest,
    expiresAt: rest.expiresAt && isoMillis(rest.expiresAt),
    revokedAt: rest.revokedAt && isoMillis(rest.revokedAt),
    lastUsedAt: rest.lastUsedAt && isoMillis(rest.lastUsedAt),
    createdAt: isoMillis(rest.createdAt),
  };
}

function lineOf(key: ReturnType<typeof shown>, now: string): string {
  const unrevoked = key.expiresAt && key.expiresAt < now ? 'expired' : 'valid';
  const state = (key.revokedAt ? 'revoked' : unrevoked).padEnd(7);
  const used = (key.lastUsedAt ?? 'never used').padEnd(24);
  return `${key.keyId}  …${key.hint}  ${state}  ${used}  ${key.scopes.join(',')}  ${key.name}`;
}

/**
 * @returns the account of a key. @throws {StoreError} when no active key has the id, or the key belongs to another
 * account than the named one.
 */
async function keyHolder(
  database: Database,
  keyId: string,
  { account, live }: AccountOptions,
): Promise<bigint> {
  const holder = await accountOfKey(database, keyId);
  const named = account === undefined ? holder : await accountOrPlatform(database, { account, live });
  if (holder === undefined || holder !== named) {
    const where = account === undefined ? 'there is no active key' : `account ${account} has no active key`;
    throw new StoreError(`${where} with the id ${keyId}`);
  }
  return holder;
}

function addCreate(key: Command): void {
  const create = key
    .command('create')
    .description('Issues a key and shows it. It is not shown again.')
    .requiredOption('--account <id>', ACCOUNT)
    .requiredOption('--scopes <list>', `separated by commas: ${ALL_SCOPES.join(', ')}`, parseScopes)
    .option('--name <name>', 'what the key is for', 'unnamed')
    .option(
      '--expires <when>',
      'a time such as 2027-01-01T00:00:00Z, or a duration such as 90d, 12h, 30m',
      parseExpiry,
    )
    .option('--live', `fail unless the account is live; ${LIVE_HOLDER}`)
    .option(
      '--allow <cidr>',
      'network that the key may be used from; repeat it for several',
      collectCidr,
      [],
    );
  uses(create, {
    on: asHolder,
    run: issue,
    text: ({ keyId, apiKey }) => `${keyId}  ${apiKey}`,
  });
}

async function issue(context: Context, { account, live, name: value, scopes, expires, allow }: NewKey) {
  const { database, caller } = context;
  if (live && (await readMode(database, caller.accountId)) !== 'live')
    throw new StoreError(`account ${account} is a sandbox account: it has test keys only`);
  requirePermission(context, 'key.create');
  const checks = checksOf(context);
  const name = checks.reference({ name: '--name', value });
  const nowMs = database.nowMs();
  const expiresAt = expires?.(nowMs) ?? null;
  if (expiresAt && expiresAt.getTime() <= nowMs)
    checks.add({ parameter: '--expires', message: 'must be in the future' });
  checks.refuse();
  const after = { name: known(name, 'what was not refused'), scopes, expiresAt, allowedCidrs: allow };
  return audited(context, async (tx, writeDown) => {
    const issued = await createKey(tx, caller.accountId, { ...after, cell: database.cell });
    writeDown('key.create', { kind: 'key', id: issued.keyId }, { after });
    return issued;
  });
}

function addRotate(key: Command): void {
  const rotate = key
    .command('rotate')
    .description('Issues a key in the place of another, which stays valid for the overlap, and shows it.');
  ofKey(rotate).addOption(
    new Option('--overlap <duration>', 'how long the old key stays valid, such as 1d, 12h, 30m; at most 30d')
      .argParser(parseOverlap)
      .default(KEY_OVERLAP_SECONDS.default, '1d'),
  );
  uses(rotate, {
    on: onServices,
    run: async (
      services,
      { overlap: overlapSeconds, ...options }: AccountOptions & { overlap: number },
      id: string,
    ) => {
      const accountId = await keyHolder(services.database, id, options);
      const context = await operatorContext(services, accountId);
      requirePermission(context, 'key.rotate');
      return audited(context, async (tx, writeDown) => {
        const now = new Date(services.database.nowMs());
        const old = await findOwnKey(tx, accountId, id, now);
        if (!old) throw new StoreError(`the account has no active key with the id ${id}`);
        const issued = await replaceKey(
          tx,
          accountId,
          { ...old, id },
          { overlapSeconds, now, cell: services.database.cell },
        );
        const after = { replacedBy: issued.keyId, overlapSeconds };
        writeDown('key.rotate', { kind: 'key', id }, { after });
        return issued;
      });
    },
    text: ({ keyId, apiKey }) => `${keyId}  ${apiKey}`,
  });
}
function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !ALL_SCOPES.includes(scope as Scope));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is not one of ${ALL_SCOPES.join(', ')}.`);
  return [...new Set(scopes)] as Scope[];
}

function parseOverlap(text: string): number {
  const span = SPAN.exec(text);
  const seconds = span ? (Number(span[1]) * SPANS_MS[span[2] as keyof typeof SPANS_MS]) / 1_000 : undefined;
  if (seconds === undefined || seconds > KEY_OVERLAP_SECONDS.max)
    throw new InvalidArgumentError('Expected a duration such as 1d, 12h, 30m, of at most 30d.');
  return seconds;
}

/** @returns the expiry of a key that is made at this time, in milliseconds since 1970. */
type Expiry = (nowMs: number) => Date;

const SPAN = /^([1-9]\d{0,4})([mhd])$/;
const SPANS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @returns the expiry of a key, by the time at which it is made. */
function parseExpiry(text: string): Expiry {
  const span = SPAN.exec(text);
  if (span) return (nowMs) => new Date(nowMs + Number(span[1]) * SPANS_MS[span[2] as keyof typeof SPANS_MS]);
  const at = parseInstant(text);
  if (!at)
    throw new InvalidArgumentError('Expected a time such as 2027-01-01T00:00:00Z or a span such as 90d.');
  return () => at;
}

function collectCidr(text: string, known: string[]): string[] {
  if (isCidr(text)) return [...known, text];
  throw new InvalidArgumentError('Expected an address or a network such as 203.0.113.0/24.');
}
