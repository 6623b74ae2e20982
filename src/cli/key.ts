/** `crossramp key create|list|rotate|revoke`. */

import { Command, InvalidArgumentError, Option } from 'commander';
import { PLATFORM_SCOPES, SCOPES, type Scope } from '../base/api-key.ts';
import { known } from '../base/assert.ts';
import { isCidr } from '../base/cidr.ts';
import { parseInstant } from '../base/instant.ts';
import {
  createKey,
  KEY_OVERLAP_SECONDS,
  replaceKey,
  revokeApiKey,
} from '../resolvers/account/manage-keys.ts';
import { audited } from '../resolvers/checks/audited.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { requireAct } from '../resolvers/services/context.ts';
import { readMode } from '../store/account/accounts.ts';
import { accountOfKey, findOwnKey, listKeys } from '../store/account/api-keys.ts';
import { StoreError } from '../store/check-server.ts';
import type { Database } from '../store/database.ts';
import { accountOrPlatform, answer, jsonOption } from './output.ts';
import { operatorContext, withServices, withStore } from './with-store.ts';

const ALL_SCOPES: readonly Scope[] = [...SCOPES, ...PLATFORM_SCOPES];

const ACCOUNT = 'id of the account, "sandbox", or "platform" for keys of the operator';

const OF_ACCOUNT = `fail unless the key is of this account: ${ACCOUNT}`;
const LIVE = 'with --account platform: the platform of live accounts';

interface OfAccount {
  readonly account?: string;
  readonly live?: boolean;
}

interface RotateOptions extends OfAccount {
  readonly overlap: number;
  readonly json?: boolean;
}

interface CreateOptions {
  account: string;
  scopes: Scope[];
  name: string;
  expires?: Date;
  live?: boolean;
  allow: string[];
  json?: boolean;
}

/** The command `key`. */
export function keyCommand(): Command {
  const key = new Command('key').description('Issues, lists, replaces and revokes API keys.');
  key
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
    .option('--live', `fail unless the account is live; ${LIVE}`)
    .option('--allow <cidr>', 'network that the key may be used from; repeat it for several', collectCidr, [])
    .addOption(jsonOption())
    .action(create);
  key
    .command('list')
    .description('Lists the keys of an account with their last use, newest first.')
    .requiredOption('--account <id>', ACCOUNT)
    .option('--live', LIVE)
    .addOption(jsonOption())
    .action(async (options: { account: string; live?: boolean; json?: boolean }) => {
      const keys = await withStore(async ({ database }) =>
        listKeys(database, await accountOrPlatform(database, options)),
      );
      const shown = keys.map(({ accountId, id, ...rest }) => ({
        keyId: id,
        accountId: String(accountId),
        ...rest,
      }));
      const lines = shown.map((each) => {
        const state = each.revokedAt
          ? 'revoked'
          : each.expiresAt && each.expiresAt < new Date()
            ? 'expired'
            : 'valid';
        const used = (each.lastUsedAt?.toISOString() ?? 'never used').padEnd(24);
        return `${each.keyId}  …${each.hint}  ${state.padEnd(7)}  ${used}  ${each.scopes.join(',')}  ${each.name}`;
      });
      answer(options, shown, lines.join('\n') || 'no keys');
    });
  addRotate(key);
  key
    .command('revoke')
    .description('Revokes a key; every process refuses it within a second.')
    .argument('<key id>', 'as "key create" and "key list" show it')
    .option('--account <id>', OF_ACCOUNT)
    .option('--live', LIVE)
    .addOption(jsonOption())
    .action(async (keyId: string, options: OfAccount & { json?: boolean }) => {
      const revoked = await withServices(async (services) => {
        const accountId = await keyHolder(services.database, keyId, options);
        await revokeApiKey(await operatorContext(services, accountId), keyId);
        return true;
      });
      answer(options, { keyId, revoked }, `${keyId} revoked`);
    });
  return key;
}

/** @returns the account of a key. @throws {StoreError} when no active key has the id, or it is of another account than is named. */
async function keyHolder(
  database: Database,
  keyId: string,
  { account, live = false }: OfAccount,
): Promise<bigint> {
  const holder = await accountOfKey(database, keyId);
  const named = account === undefined ? holder : await accountOrPlatform(database, { account, live });
  if (holder === undefined || holder !== named) {
    const where = account === undefined ? 'there is no active key' : `account ${account} has no active key`;
    throw new StoreError(`${where} with the id ${keyId}`);
  }
  return holder;
}

async function create(options: CreateOptions): Promise<void> {
  const created = await withServices(async (services) => {
    const { database } = services;
    const accountId = await accountOrPlatform(database, options);
    if (options.live && (await readMode(database, accountId)) !== 'live')
      throw new StoreError(`account ${options.account} is a sandbox account: it has test keys only`);
    const context = await operatorContext(services, accountId);
    requireAct(context, 'key.create');
    const checks = checksOf(context);
    const name = checks.reference({ name: '--name', value: options.name });
    if (options.expires && options.expires <= new Date())
      checks.add({ parameter: '--expires', message: 'must be in the future' });
    checks.refuse();
    const after = {
      name: known(name, 'what was not refused'),
      scopes: options.scopes,
      expiresAt: options.expires ?? null,
      allowedCidrs: options.allow,
    };
    return audited(context, async (tx, writeDown) => {
      const issued = await createKey(tx, accountId, after);
      writeDown('key.create', { kind: 'key', id: issued.keyId }, { after });
      return issued;
    });
  });
  answer(options, created, `${created.keyId}  ${created.apiKey}`);
}

function addRotate(key: Command): void {
  key
    .command('rotate')
    .description('Issues a key in the place of another, which stays valid for the overlap, and shows it.')
    .argument('<key id>', 'as "key create" and "key list" show it')
    .option('--account <id>', OF_ACCOUNT)
    .option('--live', LIVE)
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the old key stays valid, such as 1d, 12h, 30m; at most 30d',
      )
        .argParser(parseOverlap)
        .default(KEY_OVERLAP_SECONDS.default, '1d'),
    )
    .addOption(jsonOption())
    .action(async (id: string, options: RotateOptions) => {
      const rotated = await withServices(async (services) => {
        const accountId = await keyHolder(services.database, id, options);
        const now = new Date();
        const { overlap: overlapSeconds } = options;
        const context = await operatorContext(services, accountId);
        requireAct(context, 'key.rotate');
        return audited(context, async (tx, writeDown) => {
          const old = await findOwnKey(tx, accountId, id, now);
          if (!old) throw new StoreError(`the account has no active key with the id ${id}`);
          const issued = await replaceKey(tx, accountId, { ...old, id }, { overlapSeconds, now });
          writeDown(
            'key.rotate',
            { kind: 'key', id },
            { after: { replacedBy: issued.keyId, overlapSeconds } },
          );
          return issued;
        });
      });
      answer(options, rotated, `${rotated.keyId}  ${rotated.apiKey}`);
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

const SPAN = /^([1-9]\d{0,4})([mhd])$/;
const SPANS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function parseExpiry(text: string): Date {
  const span = SPAN.exec(text);
  const at = span
    ? new Date(Date.now() + Number(span[1]) * SPANS_MS[span[2] as keyof typeof SPANS_MS])
    : parseInstant(text);
  if (!at)
    throw new InvalidArgumentError('Expected a time such as 2027-01-01T00:00:00Z or a span such as 90d.');
  return at;
}

function collectCidr(text: string, known: string[]): string[] {
  if (isCidr(text)) return [...known, text];
  throw new InvalidArgumentError('Expected an address or a network such as 203.0.113.0/24.');
}
