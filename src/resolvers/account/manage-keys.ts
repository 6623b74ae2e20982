/** Makes, replaces and ends API keys (C-40). */
import { keyModeOf } from '../../base/access/account-mode.ts';
import {
  apiKeyHash,
  grantableScopes,
  newApiKey,
  newKeyId,
  PLATFORM_SCOPES,
  SCOPES,
  type Scope,
} from '../../base/access/api-key.ts';
import { isCidr, isWithinNetworks } from '../../base/access/cidr.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { readHolder } from '../../store/account/accounts.ts';
import {
  countValidKeys,
  endKeyBy,
  findOwnKey,
  type NewKey,
  type OwnKey,
  revokeOwnKey,
  storeKey,
  successorOf,
} from '../../store/account/api-keys.ts';
import { dropChangesOf } from '../../store/account/setting-changes.ts';
import type { Tx } from '../../store/connection/database.ts';
import { requireAccess } from '../checks/access.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { refuseMore } from '../checks/refuse-more.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';

/** Properties of a new key. */
export interface KeyOptions extends Pick<NewKey, 'madeBy' | 'madeByPerson' | 'replaces'> {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null for a key without an end. */
  readonly expiresAt: Date | null;
  /** Networks from which it may be used; an empty list allows all. */
  readonly allowedCidrs: readonly string[];
  /** Code of the cell that issues it; that of the first cell if omitted. */
  readonly cell?: string;
}

/** A key that was made. Its text is returned here once and cannot be read again. */
export interface IssuedKey {
  readonly keyId: string;
  readonly apiKey: string;
}

/** Input of a caller for a key; each value carries the caller's own name for it. */
export interface KeyInput {
  readonly name: Named;
  readonly scopes: readonly Named[];
  readonly expiresAt?: { readonly name: string; readonly value: Date } | undefined;
  readonly allowedCidrs: readonly Named[];
  /** The caller's names of the two lists. */
  readonly names: Readonly<Record<'scopes' | 'allowedCidrs', string>>;
}

/** Valid keys that an account can have. */
export const API_KEYS_MAX = 500;
/** Networks of a key; every request with the key is checked against them. */
export const ALLOWED_CIDRS_MAX = 50;

/** Overlap of a rotated key, in seconds: at most 30 days, one day by default. */
export const KEY_OVERLAP_SECONDS = { max: 2_592_000, default: 86_400 } as const;

const ALL_SCOPES: readonly string[] = [...SCOPES, ...PLATFORM_SCOPES];
/** The known scopes; a key cannot have others. */
export const SCOPES_MAX = ALL_SCOPES.length;

/**
 * Makes a key of the account's mode, as the operator.
 *
 * @throws {GatewayError} `INVALID_PARAMETER` for a scope that no key of this account may have (C-40).
 */
export async function createKey(database: Tx, accountId: bigint, options: KeyOptions): Promise<IssuedKey> {
  const holder = await readHolder(database, accountId);
  assert(holder, 'the account of a new key exists');
  const grantable = grantableScopes(holder);
  if (options.scopes.some((scope) => !grantable.includes(scope)))
    throw invalidParameters([{ parameter: 'scopes', message: `must be one of ${grantable.join(', ')}` }]);
  const mode = keyModeOf(holder.mode);
  const { cell = '', ...values } = options;
  const apiKey = newApiKey(mode, cell);
  const keyId = newKeyId(cell);
  await storeKey(database, {
    ...values,
    mode,
    accountId,
    id: keyId,
    hash: apiKeyHash(apiKey),
    hint: apiKey.slice(-4),
  });
  return { keyId, apiKey };
}

/**
 * Creates a key by another key, which can grant only its own scopes, a life no longer than its own, and no other networks.
 *
 * @throws {GatewayError} `FORBIDDEN` naming the scope that the caller lacks; `INVALID_PARAMETER`.
 */
export async function issueKey(
  context: Context,
  input: KeyInput,
  checks: CreationChecks,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<IssuedKey> {
  requirePermission(context, 'key.create');
  const name = checks.reference(input.name);
  const scopes = checkScopes(input, checks);
  checkNetworks(input, checks);
  checks.refuse();
  assert(name, 'an accepted input is present');
  for (const scope of scopes) requireScope(context, scope);
  const values = input.allowedCidrs.map(({ value }) => value);
  return audited(context, async (tx, writeDown) => {
    const now = new Date(context.database.nowMs());
    if (input.expiresAt && input.expiresAt.value <= now)
      throw invalidParameters([{ parameter: input.expiresAt.name, message: 'must be in the future' }]);
    const maker = await makerOf(tx, context, now, scopes);
    const last = maker.expiresAt === null ? null : new Date(maker.expiresAt);
    if (last && input.expiresAt && input.expiresAt.value > last)
      throw invalidParameters([
        {
          parameter: input.expiresAt.name,
          message: `must not be after ${last.toISOString()}, when the key that creates it ends`,
        },
      ]);
    for (const { name: parameter, value } of input.allowedCidrs)
      if (!isWithinNetworks(value, maker.allowedCidrs))
        throw invalidParameters([
          {
            parameter,
            message: `must be within ${maker.allowedCidrs.join(', ')}, where the key that creates it may be used from`,
          },
        ]);
    refuseMore(
      input.name.name,
      await countValidKeys(tx, context.caller.accountId, now),
      API_KEYS_MAX,
      'valid keys',
    );
    const options = {
      name,
      scopes,
      expiresAt: input.expiresAt?.value ?? last,
      allowedCidrs: values.length > 0 ? values : maker.allowedCidrs,
    };
    const issued = await createKey(tx, context.caller.accountId, {
      ...options,
      ...madeBy(context),
      cell: context.database.cell,
    });
    writeDown('key.create', { kind: 'key', id: issued.keyId }, { after: options });
    await bind(tx, issued.keyId);
    return issued;
  });
}

/**
 * Creates a key that replaces another: the same name, scopes, networks and expiry. The replaced key stays valid for the
 * overlap.
 *
 * @throws {GatewayError} `FORBIDDEN` when it may do more than the caller, or lives longer; `NOT_FOUND`, also for one that has
 * ended;
 *   `INVALID_PARAMETER` unless the overlap is 0 to 2,592,000 s; `STEP_CONFLICT` for one that is being replaced.
 */
export async function rotateKey(
  context: Context,
  id: string,
  overlap: { readonly name: string; readonly value: number },
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<IssuedKey> {
  requirePermission(context, 'key.rotate');
  if (!(overlap.value >= 0 && overlap.value <= KEY_OVERLAP_SECONDS.max))
    throw invalidParameters([
      {
        parameter: overlap.name,
        message: `must be an integer from 0 to ${KEY_OVERLAP_SECONDS.max} (seconds)`,
      },
    ]);
  const { accountId } = context.caller;
  const overlapSeconds = overlap.value;
  return audited(context, async (tx, writeDown) => {
    const now = new Date(context.database.nowMs());
    const old = await ownKey(tx, context, id, now);
    for (const scope of old.scopes) requireScope(context, scope);
    refuseFreer(old, await makerOf(tx, context, now, old.scopes));
    // Without an overlap the number of keys stays the same.
    if (overlapSeconds > 0)
      refuseMore(overlap.name, await countValidKeys(tx, accountId, now), API_KEYS_MAX, 'valid keys');
    const how = { ...madeBy(context), overlapSeconds, now, cell: context.database.cell };
    const issued = await replaceKey(tx, accountId, { ...old, id }, how);
    writeDown('key.rotate', { kind: 'key', id }, { after: { replacedBy: issued.keyId, overlapSeconds } });
    await bind(tx, issued.keyId);
    return issued;
  });
}

/**
 * The new key never gets more rights than its maker has, in time and networks. @throws {GatewayError} `FORBIDDEN`.
 */
function refuseFreer(key: OwnKey, maker: OwnKey): void {
  const isLonger =
    maker.expiresAt !== null &&
    (key.expiresAt === null || new Date(key.expiresAt) > new Date(maker.expiresAt));
  if (isLonger)
    throw new GatewayError(
      'FORBIDDEN',
      'this key expires later than the key you use, so you cannot rotate it',
    );
  const everywhere = key.allowedCidrs.length === 0 && maker.allowedCidrs.length > 0;
  if (everywhere || key.allowedCidrs.some((each) => !isWithinNetworks(each, maker.allowedCidrs)))
    throw new GatewayError(
      'FORBIDDEN',
      'this key may be used from networks from which the key you use may not, so you cannot rotate it',
    );
}

/**
 * Makes a key like another one, which ends after the overlap, in the caller's database transaction.
 *
 * @throws {GatewayError} `STEP_CONFLICT` for a key that was replaced before: its own expiry is not known any more, only that
 * of the overlap.
 */
export async function replaceKey(
  tx: Tx,
  accountId: bigint,
  old: OwnKey & { readonly id: string },
  {
    overlapSeconds,
    now,
    ...maker
  }: Pick<NewKey, 'madeBy' | 'madeByPerson'> & { overlapSeconds: number; now: Date; cell?: string },
): Promise<IssuedKey> {
  const successor = await successorOf(tx, accountId, old.id);
  if (successor !== undefined)
    throw new GatewayError(
      'STEP_CONFLICT',
      `the key ${old.id} is being replaced by ${successor}: replace that one, or create a key`,
    );
  const issued = await createKey(tx, accountId, {
    name: old.name,
    scopes: old.scopes,
    allowedCidrs: old.allowedCidrs,
    expiresAt: old.expiresAt === null ? null : new Date(old.expiresAt),
    ...maker,
    replaces: old.id,
  });
  await endKeyBy(tx, accountId, old.id, new Date(now.getTime() + overlapSeconds * 1_000));
  return issued;
}

/**
 * Ends a key of the account; every process refuses it within a second. Its requested changes that are not in effect yet are
 * dropped. Repeating is harmless.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`.
 */
export async function revokeApiKey(context: Context, id: string): Promise<void> {
  requirePermission(context, 'key.revoke');
  const { accountId } = context.caller;
  const isThere = await audited(context, async (tx, writeDown, nowMs) => {
    const now = new Date(context.database.nowMs());
    const wasValid = await findOwnKey(tx, accountId, safe(id), now);
    const cancelled = await dropChangesOf(tx, accountId, safe(id), new Date(nowMs));
    const facts = cancelled.length > 0 ? { before: { pending: cancelled } } : {};
    if (wasValid || cancelled.length > 0) writeDown('key.revoke', { kind: 'key', id }, facts);
    return revokeOwnKey(tx, accountId, safe(id), now);
  });
  if (!isThere) throw notFound();
}

/** Maker of a key, as the key stores it. */
function madeBy({ caller }: Context): Pick<NewKey, 'madeBy' | 'madeByPerson'> {
  return caller.person ? { madeByPerson: caller.id } : { madeBy: caller.id };
}

/**
 * @param scopes - of the new key.
 * @returns the bounds of a key that the caller makes; a person has scopes, and neither an end nor networks.
 * @throws {GatewayError} for a caller whose access has ended since the request: `UNAUTHORIZED` for a key, `FORBIDDEN` for a person.
 */
async function makerOf(tx: Tx, context: Context, at: Date, scopes: readonly Scope[]): Promise<OwnKey> {
  const { caller } = context;
  if (!caller.person) return ownKey(tx, context, caller.id, at);
  await requireAccess(context, tx, ['admin', ...scopes]);
  return { name: caller.person.name, scopes: caller.scopes, allowedCidrs: [], expiresAt: null };
}

async function ownKey(tx: Tx, { caller }: Context, id: string, at: Date): Promise<OwnKey> {
  const key = await findOwnKey(tx, caller.accountId, safe(id), at);
  if (key) return key;
  // The caller's key may have been revoked just now.
  if (id === caller.id) throw new GatewayError('UNAUTHORIZED', 'a valid API key is required');
  throw notFound();
}

/** An id that no record can have is looked for as one that none has. */
function safe(id: string): string {
  return /^[\w:-]{1,64}$/.test(id) ? id : '';
}

function checkNetworks({ allowedCidrs: values, names }: KeyInput, checks: CreationChecks): void {
  if (!checks.atMost(names.allowedCidrs, values, ALLOWED_CIDRS_MAX, 'networks')) return;
  for (const { name: parameter, value } of values)
    if (!isCidr(value))
      checks.add({ parameter, message: 'must be an address or a network such as 203.0.113.0/24' });
}

function checkScopes({ scopes: values, names }: KeyInput, checks: CreationChecks): Scope[] {
  if (!checks.atMost(names.scopes, values, SCOPES_MAX, 'scopes')) return [];
  const [first] = values;
  if (!first) checks.add({ parameter: names.scopes, message: 'must have at least one scope' });
  for (const { name: parameter, value } of values)
    if (!ALL_SCOPES.includes(value))
      checks.add({ parameter, message: `must be one of ${ALL_SCOPES.join(', ')}` });
  return [...new Set(values.map(({ value }) => value as Scope))];
}
