/** Who does something, from where and by which act: what the audit log says of whoever acts. */
import { ACTS, type ActName } from '../../base/acts.ts';
import { type Instant, instantOf, millisOf } from '../../base/instant.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import type { ActorKind, AuditEntry } from '../../store/engine/audit.ts';

/** Where a request came from. */
export interface Origin {
  /** Id of the request, which its answer has too; null where there was none. */
  readonly requestId: string | null;
  /** Address of the client, or the host on which an operator works; null where it is not known. */
  readonly address: string | null;
  /** Set where neither a key, a person nor a session's token tells who acts: an operator, a visitor of a link, the gateway itself. */
  readonly actor?: { readonly kind: Exclude<ActorKind, 'KEY' | 'PERSON'>; readonly id: string };
}

/** What the gateway does by itself, such as a change that takes effect when its time has come. */
export const GATEWAY: Origin = { requestId: null, address: null, actor: { kind: 'SYSTEM', id: 'gateway' } };

/** Who acts, by which act. */
export type Author = Pick<
  AuditEntry,
  'actorKind' | 'actorId' | 'scope' | 'act' | 'maker' | 'requestId' | 'address'
>;

/** Every kind of what is acted on. */
export const AUDIT_OBJECT_KINDS = [
  'account',
  'book_day',
  'customer',
  'key',
  'link',
  'manual_journal',
  'network',
  'passkey',
  'person',
  'pix_order',
  'quote',
  'rail_news',
  'sandbox_clock',
  'session',
  'suspense_entry',
  'template',
  'transaction',
  'view',
  'webhook_delivery',
  'webhook_endpoint',
  'whitelist_entry',
  'whitelist_group',
] as const;

/** What is acted on, by its kind and its id as callers know it. */
export interface AuditObject {
  readonly kind: (typeof AUDIT_OBJECT_KINDS)[number];
  readonly id: string;
}

/** @returns an account as the audit log names it. */
export function accountObject(accountId: bigint): AuditObject {
  return { kind: 'account', id: String(accountId) };
}

/** What is told of an object before and after an act: no secrets, and people only as the logs show them. */
export interface AuditFacts {
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/**
 * @returns the members that differ, as they were and as they are; undefined where none does. What was not there before, or is
 *   not there any more, is null.
 */
export function difference(before: object, after: object): AuditFacts | undefined {
  const [was, is] = [before, after].map((each) => new Map<string, unknown>(Object.entries(each)));
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  const changed = names.filter((name) => JSON.stringify(was?.get(name)) !== JSON.stringify(is?.get(name)));
  if (changed.length === 0) return undefined;
  const pick = (facts: Map<string, unknown> | undefined) =>
    Object.fromEntries(changed.map((name) => [name, facts?.get(name) ?? null]));
  return { before: pick(was), after: pick(is) };
}

/**
 * @param maker - of an approval: who asked for what is approved.
 * @returns who acts by this act, as a context says it.
 */
export function authorOf(
  { caller, origin }: { readonly caller: KeyRecord; readonly origin: Origin },
  act: ActName,
  maker?: string | null,
): Author {
  const { requestId, address, actor } = origin;
  return {
    actorKind: actor?.kind ?? actorKindOf(caller),
    actorId: actor?.id ?? caller.id,
    scope: ACTS[act].scope,
    act,
    maker: maker ?? null,
    requestId,
    address,
  };
}

/** @returns what kind of caller asks. */
export function actorKindOf({ person, transactionId }: KeyRecord): 'KEY' | 'PERSON' | 'PAYER' {
  if (person) return 'PERSON';
  return transactionId === undefined ? 'KEY' : 'PAYER';
}

/** Clocks that are no further apart than this are the same one, read at two moments. Unit: ms. */
const SAME_MS = 60_000;

/** @returns the entry of an act. */
export function auditEntry(
  author: Author,
  { kind, id }: AuditObject,
  at: Instant,
  { before, after }: AuditFacts,
): AuditEntry {
  const machineMs = Date.now();
  const isOff = Math.abs(machineMs - millisOf(at)) > SAME_MS;
  return {
    ...author,
    at,
    machineAt: isOff ? instantOf(new Date(machineMs)) : null,
    objectKind: kind,
    objectId: id,
    before: before ? JSON.stringify(before) : null,
    after: after ? JSON.stringify(after) : null,
  };
}
