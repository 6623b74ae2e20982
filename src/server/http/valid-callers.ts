/**
 * Callers whose rights are still valid: keys that are neither revoked nor expired, and people with a valid session and role.
 */
import { findValidKeys, type KeyRecord } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';
import { findValidSessions } from '../../store/people/person-sessions.ts';

/** @returns the name that distinguishes callers: a person counts separately in each session and account. */
export function callerName({ id, accountId, person }: KeyRecord): string {
  return person ? `${person.sessionId} ${accountId}` : id;
}

/** @returns the names of those callers that are still valid. */
export async function findValidCallers(
  database: Database,
  callers: readonly KeyRecord[],
): Promise<ReadonlySet<string>> {
  const uses = callers.flatMap(({ accountId, person }) =>
    person ? [{ id: person.sessionId, accountId }] : [],
  );
  const keys = callers.filter(({ person }) => person === undefined);
  const sessions = uses.length > 0 ? await findValidSessions(database, uses, new Date(database.nowMs())) : [];
  const valid = keys.length > 0 ? await findValidKeys(database, keys) : new Set<string>();
  return new Set([...valid, ...sessions.map(({ id, accountId }) => `${id} ${accountId}`)]);
}
