/** Administers endpoints of webhooks and their secrets (contract section 8). Everything needs the scope `admin`. */
import { randomBytes } from 'node:crypto';
import type { ActionName } from '../../base/access/actions.ts';
import { newSecret, newSigningKey } from '../../base/access/webhook-keys.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { NOTIFICATION_NAMES } from '../../events/notification-names.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { AuditObject } from '../../store/engine/audit.ts';
import { secretOwner } from '../../store/webhooks/sealed-secrets.ts';
import {
  addEndpoint,
  changeEndpoint,
  countEndpoints,
  type EndpointFields,
  type EndpointRow,
  endpointFacts,
  findEndpoint,
  pauseEndpoint,
  readSecrets,
  removeEndpoint,
  resumeEndpoint,
  rotateSecret,
  type SecretRow,
  TRANSACTIONS,
} from '../../store/webhooks/webhooks.ts';
import type { Template } from '../../templates/define.ts';
import { requireAccess } from '../checks/access.ts';
import { audited, auditedChange } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { checkEventNames, type NamedList } from '../checks/check-event-names.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { refuseMore } from '../checks/refuse-more.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';

/** Properties of an endpoint, or their changes; each value carries the caller's own name for it. */
export interface EndpointInput {
  readonly url?: Named | undefined;
  /** Null removes it. */
  readonly description?: Named | null | undefined;
  /** Wire name of an existing transaction; of a new endpoint only. */
  readonly template?: string | undefined;
  readonly eventNames?: NamedList | undefined;
  readonly orderMode?: EndpointFields['orderMode'] | undefined;
  readonly maxConcurrency?: NamedNumber | undefined;
  /** Null for no limit. */
  readonly maxPerSecond?: NamedNumber | null | undefined;
  /** Whether it also signs with an Ed25519 key. */
  readonly isSignedByKey?: boolean | undefined;
}

/** A whole number under the name by which its caller knows it. */
export interface NamedNumber {
  readonly name: string;
  readonly value: number;
}

/** Overlap of the previous secret: a day, a week at most. */
export const OVERLAP_SECONDS = { default: 86_400, max: 604_800 } as const;

/** Maximum number of endpoints of an account, without those of transactions. */
export const ENDPOINTS_MAX = 50;
/** Maximum number of endpoints of transactions in the list of an account. */
export const CAME_ENDPOINTS_LISTED = 200;
/** Maximum number of secrets of an endpoint that are valid at the same time. */
export const SECRETS_MAX = 10;
/** Maximum number of concurrent deliveries of an endpoint. */
export const CONCURRENCY_MAX = 100;
/** Maximum number of deliveries of an endpoint in a second. */
export const PER_SECOND_MAX = 1_000;
const ID = /^whe_[\w-]{16}$/;
/** Defaults of an endpoint. */
const NEW_ENDPOINT = {
  description: null,
  eventNames: [],
  orderMode: 'transaction',
  maxConcurrency: 20,
  maxPerSecond: null,
  signingKey: null,
} as const;

/**
 * Makes an endpoint, for one template or for all.
 *
 * @returns its id, `whe_…`.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`.
 */
export async function createEndpoint(
  context: Context,
  input: EndpointInput,
  checks: CreationChecks,
  urlName: string,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<string> {
  requirePermission(context, 'webhook.create');
  const { accountId } = context.caller;
  checks.required(input.url, urlName);
  await refusePlain(context, input.url, checks);
  const { url, signingKey, ...fields } = checkFields(input, namesFor(context, input.template), checks);
  return audited(context, async (tx, writeDown, nowMs) => {
    refuseMore(urlName, await countEndpoints(tx, accountId), ENDPOINTS_MAX, 'endpoints', checks);
    checks.refuse();
    assert(url, 'a required input is present after its check');
    const id = `whe_${randomBytes(12).toString('base64url')}`;
    const template = input.template ?? null;
    const secret = sealedFor(context, id)(newSecret());
    const after = await addEndpoint(tx, accountId, {
      ...NEW_ENDPOINT,
      ...fields,
      ...(signingKey !== undefined && { signingKey: signingKey && sealedFor(context, id)(signingKey) }),
      template,
      url,
      id,
      secret,
      createdAt: new Date(nowMs),
    });
    writeDown('webhook.create', endpointObject(id), { after });
    await bind(tx, id);
    return id;
  });
}

/**
 * Changes an endpoint; a missing member leaves it as it is.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`.
 */
export async function updateEndpoint(
  context: Context,
  id: string,
  input: Omit<EndpointInput, 'template'>,
  checks: CreationChecks,
): Promise<void> {
  requirePermission(context, 'webhook.update');
  const { kind, template } = await endpointOf(context, id);
  const names = kind === 'general' ? namesFor(context, null) : { templates: templatesOf(context, template) };
  if (input.url && kind === 'transaction')
    checks.add({
      parameter: input.url.name,
      message: 'must be omitted: the URL belongs to the transactions of the endpoint',
    });
  await refusePlain(context, input.url, checks);
  const fields = checkFields(input, names, checks);
  checks.refuse();
  const signingKey = fields.signingKey && sealedFor(context, id)(fields.signingKey);
  await changed(context, 'webhook.update', id, (tx, accountId) =>
    changeEndpoint(tx, accountId, id, { ...fields, ...(signingKey && { signingKey }) }),
  );
}

/**
 * Ends an endpoint and its pending deliveries; a repetition changes nothing. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`.
 */
export async function removeWebhookEndpoint(context: Context, id: string): Promise<void> {
  requirePermission(context, 'webhook.remove');
  if (!ID.test(id)) throw notFound();
  const isThere = await changed(context, 'webhook.remove', id, (tx, accountId, nowMs) =>
    removeEndpoint(tx, accountId, id, new Date(nowMs)),
  );
  if (!isThere) throw notFound();
}

/** Pauses the deliveries of an endpoint; its events continue to wait. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function pauseWebhookEndpoint(context: Context, id: string): Promise<void> {
  requirePermission(context, 'webhook.pause');
  await endpointOf(context, id);
  await changed(context, 'webhook.pause', id, (tx, accountId) => pauseEndpoint(tx, accountId, id));
}

/**
 * Resumes a paused endpoint; a disabled one begins with events from now on.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`.
 */
export async function resumeWebhookEndpoint(context: Context, id: string): Promise<void> {
  requirePermission(context, 'webhook.resume');
  await endpointOf(context, id);
  await changed(context, 'webhook.resume', id, (tx, accountId) => resumeEndpoint(tx, accountId, id));
  wakeDispatchers(context);
}

/**
 * Makes a new secret; the previous one stays valid for a while.
 *
 * @param endpointId - undefined for the endpoints of transactions.
 * @returns the valid secrets, the new one first.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER` unless the overlap is 0 to 604,800 s.
 */
export async function rotateWebhookSecret(
  context: Context,
  endpointId: string | undefined,
  overlapSeconds: NamedNumber,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<SecretRow[]> {
  requirePermission(context, 'webhook.rotate_secret');
  const { accountId } = context.caller;
  const name = await secretsNameOf(context, endpointId);
  const { name: parameter, value: seconds } = overlapSeconds;
  if (!(seconds >= 0 && seconds <= OVERLAP_SECONDS.max))
    throw invalidParameters([
      { parameter, message: `must be an integer from 0 to ${OVERLAP_SECONDS.max} (seconds)` },
    ]);
  return audited(context, async (tx, writeDown, nowMs) => {
    const now = new Date(nowMs);
    const valid = await readSecrets(tx, accountId, name, now);
    if (seconds > 0 && valid.length >= SECRETS_MAX)
      throw invalidParameters([
        { parameter, message: `must be 0 while ${SECRETS_MAX} secrets are valid; wait until one expires` },
      ]);
    const validUntil = new Date(nowMs + seconds * 1_000);
    await rotateSecret(tx, accountId, name, {
      secret: sealedFor(context, name)(newSecret()),
      now,
      validUntil,
    });
    writeDown('webhook.rotate_secret', endpointObject(name), { after: { overlapSeconds: seconds } });
    await bind(tx, name);
    return opened(context, name, await readSecrets(tx, accountId, name, now));
  });
}

/** @returns a function that seals a secret of an endpoint of the caller's account. */
function sealedFor({ secrets, caller }: Context, endpointId: string): (secret: string) => string {
  return (secret) => secrets.seal(secret, secretOwner(caller.accountId, endpointId));
}

function opened({ secrets, caller }: Context, endpointId: string, rows: readonly SecretRow[]): SecretRow[] {
  const owner = secretOwner(caller.accountId, endpointId);
  return rows.map((row) => ({ ...row, secret: secrets.open(row.secret, owner) }));
}

/**
 * Lists the valid secrets. The shared secret is created by the first call, so that a receiver can check the first delivery.
 *
 * @returns the newest first; see `rotateWebhookSecret`.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`.
 */
export async function listWebhookSecrets(
  context: Context,
  endpointId: string | undefined,
): Promise<SecretRow[]> {
  const { database, caller, clock } = context;
  const name = await secretsNameOf(context, endpointId);
  const now = new Date(await clock.nowMs());
  const valid = await readSecrets(database, caller.accountId, name, now);
  const isMissing = valid.length === 0 && name === TRANSACTIONS;
  return opened(context, name, isMissing ? await createSharedSecret(context) : valid);
}

function createSharedSecret(context: Context): Promise<SecretRow[]> {
  const { accountId } = context.caller;
  return withAccounts(context, [accountId], async (tx, { nowMs }) => {
    await requireAccess(context, tx, ['admin']);
    const now = new Date(nowMs);
    const valid = await readSecrets(tx, accountId, TRANSACTIONS, now);
    if (valid.length > 0) return valid;
    const secret = sealedFor(context, TRANSACTIONS)(newSecret());
    await rotateSecret(tx, accountId, TRANSACTIONS, { secret, now, validUntil: now });
    return readSecrets(tx, accountId, TRANSACTIONS, now);
  });
}

/**
 * @param database - a database transaction that has locked the account, if the checked endpoint must not change meanwhile.
 * @returns the endpoint.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `STEP_CONFLICT` when it was removed.
 */
export async function endpointOf(
  context: Context,
  id: string,
  database: Tx = context.database,
): Promise<EndpointRow> {
  requireScope(context, 'admin');
  const row = ID.test(id) ? await findEndpoint(database, context.caller.accountId, id) : undefined;
  if (!row) throw notFound();
  if (row.isRemoved) throw new GatewayError('STEP_CONFLICT', 'the endpoint was removed');
  return row;
}

/** @returns the templates whose events an endpoint of this template gets; all templates if it has none. */
export function templatesOf({ registry }: Context, template: string | null | undefined): readonly Template[] {
  return template == null ? registry.templates : [registry.of(template)];
}

/** Notifies dispatchers of this process of possible deliveries; others scan for them. */
export function wakeDispatchers({ notifier, caller }: Context): void {
  notifier.notify([caller.accountId]);
}

/** @returns an endpoint as the audit log names it. */
export function endpointObject(id: string): AuditObject {
  return { kind: 'webhook_endpoint', id };
}

function changed<Result>(
  context: Context,
  action: ActionName,
  id: string,
  work: (tx: Tx, accountId: bigint, nowMs: number) => Promise<Result>,
): Promise<Result> {
  const { accountId } = context.caller;
  const factsOf = (tx: Tx) => endpointFacts(tx, accountId, id);
  return auditedChange(context, action, endpointObject(id), factsOf, (tx, nowMs) =>
    work(tx, accountId, nowMs),
  );
}

async function secretsNameOf(context: Context, endpointId: string | undefined): Promise<string> {
  requireScope(context, 'admin');
  if (endpointId === undefined) return TRANSACTIONS;
  const { id, kind } = await endpointOf(context, endpointId);
  return kind === 'transaction' ? TRANSACTIONS : id;
}

/** Plain http is only for this machine, where webhooks may not go if there are live accounts (C-63). */
async function refusePlain(
  { sandbox, allowsLoopback }: Context,
  url: Named | undefined,
  checks: CreationChecks,
): Promise<void> {
  if (sandbox === null || !url || !/^http:/i.test(url.value) || (await allowsLoopback())) return;
  checks.add({
    parameter: url.name,
    message: 'must be an https URL: here webhooks do not go to this machine',
  });
}

/** Sources of the names that an endpoint can get. */
interface NameSources {
  readonly templates: readonly Template[];
  readonly others?: readonly string[];
}

/** Notifications of the account go to its general endpoints. */
function namesFor(context: Context, template: string | null | undefined): NameSources {
  return { templates: templatesOf(context, template), others: template == null ? NOTIFICATION_NAMES : [] };
}

function checkFields(
  input: EndpointInput,
  { templates, others }: NameSources,
  checks: CreationChecks,
): Partial<Omit<EndpointFields, 'template'>> {
  const { description, orderMode, maxPerSecond, isSignedByKey } = input;
  const url = checks.url(input.url);
  const text = checks.reference(description ?? undefined);
  const eventNames = checkEventNames(input.eventNames, templates, checks, others);
  const maxConcurrency = checkCount(input.maxConcurrency, CONCURRENCY_MAX, checks);
  const perSecond = checkCount(maxPerSecond ?? undefined, PER_SECOND_MAX, checks);
  return {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description: text ?? null }),
    ...(eventNames && { eventNames }),
    ...(orderMode && { orderMode }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(maxPerSecond !== undefined && { maxPerSecond: perSecond ?? null }),
    ...(isSignedByKey !== undefined && { signingKey: isSignedByKey ? newSigningKey().secret : null }),
  };
}

function checkCount(input: NamedNumber | undefined, max: number, checks: CreationChecks): number | undefined {
  if (!input) return undefined;
  if (input.value >= 1 && input.value <= max) return input.value;
  return checks.add({ parameter: input.name, message: `must be an integer from 1 to ${max}` });
}
