/** Context of every use case: its services, and the caller with origin and rights. */
import type { AccountMode, Times } from '../../base/access/account-mode.ts';
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import type { Scope } from '../../base/access/api-key.ts';
import { PASSKEY_ACTIONS } from '../../base/access/passkey-actions.ts';
import type { SecretBox } from '../../base/access/secret-box.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Currency } from '../../base/money/currency.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';
import type { ActorKind, Author } from '../../store/engine/audit.ts';
import type { LateReleases } from '../../store/engine/late-releases.ts';
import type { LimitsOver } from '../../store/engine/volumes.ts';
import type { Template } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { Registry } from '../../templates/registry.ts';
import type { Advance } from './advance.ts';
import type { Clock } from './clock.ts';
import type { EventHub } from './event-hub.ts';
import type { LocalDispatch } from './local-dispatch.ts';
import { NO_RAILS, railsMissing } from './no-rails.ts';
import type { Notifier } from './notifier.ts';
import type { CellsOfOperator } from './other-cells.ts';
import type { Receive } from './rail-event.ts';
import type { NamedRail } from './rail-part.ts';
import type { Rails } from './rails.ts';
import type { RunningWork } from './running-work.ts';
import type { Sandbox } from './sandbox.ts';
import type { StreamLimit } from './stream-limit.ts';

/** Facts about the installation. */
export interface Installation {
  /** Folder of the process: its disk is read; null where it is not known. */
  readonly home: string | null;
  /** Size of the disk of the database, if the settings contain it. Unit: bytes. */
  readonly databaseBytes: number | null;
  /** Number of replicas that the database should have, if the settings contain it. */
  readonly replicas: number | null;
}

/**
 * Services of the gateway, independent of the caller. Clock, rails, engine and sandbox are those of the accounts of one mode;
 * all others are the same for all accounts.
 */
export interface Services {
  readonly database: Database;
  /** Seals secrets before they are stored, and opens them. */
  readonly secrets: SecretBox;
  readonly registry: Registry;
  /** Mode of the accounts that these services are for. */
  readonly mode: AccountMode;
  /** The services for the accounts of a mode. */
  readonly forMode: (mode: AccountMode) => Services;
  /** The services for an account that exists, by its mode. */
  readonly forAccount: (accountId: bigint) => Promise<Services>;
  /** Present time of the accounts of each mode. */
  readonly times: () => Promise<Times>;
  /** The database's clock for live accounts; a settable one for sandbox accounts. */
  readonly clock: Clock;
  /** `NO_RAILS` for live accounts where no live rails are configured. */
  readonly rails: Rails;
  /** Configured parts, with their background work; none of the sandbox in this process. */
  readonly railParts: readonly NamedRail[];
  readonly advance: Advance;
  /** Accounts over which a customer is counted. */
  readonly limitsOver: LimitsOver;
  /** Receiver of rail events. */
  readonly receive: Receive;
  readonly notifier: Notifier;
  /** Dispatch of jobs from this process's engines to its worker. */
  readonly localDispatch: LocalDispatch;
  /** Work of this process's engines, for accounts of both modes. */
  readonly writes: RunningWork;
  /**
   * Accounts of both modes that the engines of this process found locked by other transactions, until one of their requests
   * gets them.
   */
  readonly locked: ReadonlySet<bigint>;
  /** Idempotency keys that could not be released because of an outage. */
  readonly lateReleases: LateReleases;
  /** Followers of accounts in this process. */
  readonly events: EventHub;
  /** Streams of each key in this process. */
  readonly streamLimit: StreamLimit;
  /** The published body of a transaction (C-9). */
  readonly render: (row: TransactionRow) => string;
  /** Number of this process among those that run jobs; null for a process that only answers requests. */
  readonly worker: number | null;
  /** Whether this process uses a standby, and answers only reads. */
  readonly readsOnly: boolean;
  /** Null for live accounts. */
  readonly sandbox: Sandbox | null;
  /** Whether webhooks of these accounts may go to this machine now; never for live accounts (C-63). */
  readonly allowsLoopback: () => Promise<boolean>;
  readonly installation: Installation;
  /** URL under which the gateway is reached, without a slash at its end. */
  readonly publicUrl: string;
  /** Whether notifications are sent by e-mail. */
  readonly sendsMail: boolean;
  /** Cells of the installation, of which the operator sees figures. */
  readonly cells: CellsOfOperator;
}

/** Origin of a request. */
export interface Origin {
  /** Id of the request, which its answer also has; null without a request. */
  readonly requestId: string | null;
  /** Address of the client, or the host on which an operator works; null where it is not known. */
  readonly address: string | null;
  /**
   * Set if neither a key, a person nor a session's token identifies the caller: an operator, a visitor of a link, the
   * gateway itself.
   */
  readonly actor?: { readonly kind: Exclude<ActorKind, 'KEY' | 'PERSON'>; readonly id: string };
}

/** Origin of the gateway's own work, such as a change that takes effect at its time. */
export const GATEWAY: Origin = { requestId: null, address: null, actor: { kind: 'SYSTEM', id: 'gateway' } };

/**
 * Caller: an API key, a signed-in person, or the token of a payment session, and thereby an account. Only this account
 * determines whose records are read.
 */
export interface Context extends Services {
  readonly caller: KeyRecord;
  /** Origin of the request, for the audit log. */
  readonly origin: Origin;
}

/** @returns the account to which the caller's key or person belongs. */
export function homeOf({ home, accountId }: KeyRecord): bigint {
  return home ?? accountId;
}

/** @returns the context of what the caller does on an account, which may be another than their own. */
export function onAccount<Acting extends Pick<Context, 'caller'>>(
  context: Acting,
  accountId: bigint,
): Acting {
  return { ...context, caller: { ...context.caller, accountId, home: homeOf(context.caller) } };
}

/**
 * @param maker - of an approval: the requester of the approved action.
 * @returns the author of this action, from the context.
 */
export function authorOf(
  { caller, origin }: Pick<Context, 'caller' | 'origin'>,
  action: ActionName,
  maker?: string | null,
): Author {
  const { requestId, address, actor } = origin;
  return {
    actorKind: actor?.kind ?? actorKindOf(caller),
    actorId: actor?.id ?? caller.id,
    scope: ACTIONS[action].scope,
    act: action,
    maker: maker ?? null,
    requestId,
    address,
  };
}

/** @returns the kind of the caller. */
export function actorKindOf({ person, transactionId }: KeyRecord): 'KEY' | 'PERSON' | 'PAYER' {
  if (person) return 'PERSON';
  return transactionId === undefined ? 'KEY' : 'PAYER';
}

/** @throws {GatewayError} `FORBIDDEN` when the caller's key or role lacks the scope; the detail names it. */
export function requireScope({ caller }: Pick<Context, 'caller'>, scope: Scope): void {
  if (!caller.scopes.includes(scope)) {
    const holder = caller.person ? 'role' : 'key';
    throw new GatewayError('FORBIDDEN', `this requires a ${holder} with the scope "${scope}"`, {
      facts: { scope },
    });
  }
}

/** @throws {GatewayError} `FORBIDDEN` when the caller has none of the scopes; the detail names the first. */
export function requireOneOf(context: Pick<Context, 'caller'>, scopes: readonly Scope[]): void {
  const [first] = scopes;
  if (first && !scopes.some((scope) => context.caller.scopes.includes(scope))) requireScope(context, first);
}

/** @throws {GatewayError} `FORBIDDEN` unless the caller has some scope of the platform; that of figures shows nothing of which they are made. */
export function requirePlatform({ caller }: Pick<Context, 'caller'>): void {
  if (!caller.scopes.some((scope) => scope.startsWith('platform:') && scope !== 'platform:figures'))
    throw new GatewayError('FORBIDDEN', 'this requires a key with a scope of the platform');
}

/** Time for which a presented passkey counts. Unit: ms. */
const FRESH_MS = 5 * 60_000;

/**
 * A key is its own proof. A person presents a passkey again; a person without a passkey passes in a sandbox only.
 *
 * @throws {GatewayError} `STEP_UP_REQUIRED`.
 */
export function requireFresh(context: Pick<Context, 'caller' | 'mode' | 'database'>): void {
  if (!needsPasskey(context)) return;
  throw new GatewayError(
    'STEP_UP_REQUIRED',
    context.caller.person?.hasPasskey
      ? 'this needs a passkey check within the last five minutes: use your passkey at /console/confirm'
      : 'this needs a passkey: add one at /console/security',
  );
}

/** @returns whether the caller has to present a passkey before an action that needs a fresh one. */
export function needsPasskey({
  caller: { person },
  mode,
  database,
}: Pick<Context, 'caller' | 'mode' | 'database'>): boolean {
  if (!person || (mode === 'sandbox' && !person.hasPasskey && !person.needsPasskey)) return false;
  const { hasPasskey, verifiedAt } = person;
  return !hasPasskey || verifiedAt === null || database.nowMs() - verifiedAt.getTime() > FRESH_MS;
}

/** @returns whether the caller performs the action with a fresh passkey only: some actions, and all beyond reading for people of a bound role. */
export function isBoundToPasskey({ caller }: Pick<Context, 'caller'>, name: ActionName): boolean {
  const isOfRole = caller.person?.needsPasskey === true && ACTIONS[name].scope !== 'read';
  return isOfRole || PASSKEY_ACTIONS.includes(name);
}

/**
 * Actions of a live account that need no live rails: they open its subscriptions, retry work, divide it, decide about what is known, or end access.
 */
const WITHOUT_RAILS: readonly ActionName[] = [
  'stream_token.create',
  'export_link.create',
  'job.retry',
  'job.cancel',
  'restore.begin',
  'restore.match',
  'restore.dismiss',
  'review.assign',
  'review.release',
  'review.note',
  'transaction.view',
  'suspense.view',
  'case.view',
  'hit.view',
  'key.revoke',
  'person.remove',
  'session.revoke',
  'passkey.remove',
];

/**
 * @throws {GatewayError} `FORBIDDEN` when the caller's key lacks the scope of the action; the detail names it.
 * `RAILS_MISSING` for an action on a live account if there are no live rails (C-40). `STEP_UP_REQUIRED` as `requireFresh`,
 * for the actions that need a passkey.
 */
export function requirePermission(context: Context, name: ActionName): void {
  requireScope(context, ACTIONS[name].scope);
  if (isBoundToPasskey(context, name)) requireFresh(context);
  if (!WITHOUT_RAILS.includes(name)) requireRails(context);
}

/**
 * @param needed - additional needs of the action, as `railsFor` names them.
 * @throws {GatewayError} `RAILS_MISSING` when an action could not be carried out: before anything is priced or stored.
 */
export function requireRails({ rails }: Pick<Services, 'rails'>, needed: readonly string[] = []): void {
  if (rails === NO_RAILS) throw railsMissing();
  const lacking = needed.filter((name) => rails.missing?.includes(name));
  if (lacking.length > 0) throw railsMissing(lacking);
}

/**
 * @returns the rails that a transaction needs: `pix` for BRL, the network of each other currency, and the rails that check
 * and convert it.
 */
export function railsFor(
  { family }: Pick<Template, 'family'>,
  currencies: readonly Currency[],
): readonly string[] {
  const moving = currencies.map(({ network }) => (network === '' ? 'pix' : network));
  const isRamp = FAMILY_TRAITS[family].flow !== 'withdrawal';
  return [...new Set(moving), 'screening', ...(isRamp ? ['rates', 'identity', 'liquidity'] : [])];
}

/**
 * @returns the transaction whose session sent the request. @throws {GatewayError} `FORBIDDEN` when it is not a session's
 * token that does.
 */
export function requireSession({ caller }: Context): bigint {
  if (caller.transactionId === undefined)
    throw new GatewayError('FORBIDDEN', 'this requires the token of a payment session');
  return caller.transactionId;
}
