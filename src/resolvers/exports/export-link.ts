/** Links to exports, for an accountant without a key: each opens one export of the account until it ends. */
import type { Scope } from '../../base/access/api-key.ts';
import { isSignedExportLink, readExportLink, signExportLink } from '../../base/access/export-link.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { findValidKeyById, type KeyRecord } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';

/** Token of a link, and the time at which it expires. */
export interface ExportLink {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Life of a link, and its bounds. Unit: days. */
export const EXPORT_LINK_DAYS = { default: 30, min: 1, max: 400 } as const;

/** Scopes that exports need; a link has those of its key. */
const SCOPES: readonly Scope[] = ['read', 'platform:books'];
const DAY_SECONDS = 86_400;

/**
 * @param address - path and query of the export.
 * @throws {GatewayError} `FORBIDDEN`, also for a person; `UNAUTHORIZED` when the key has just ended.
 */
export async function createExportLink(context: Context, address: string, days: number): Promise<ExportLink> {
  requirePermission(context, 'export_link.create');
  const { accountId, id: keyId, person } = context.caller;
  if (person)
    throw new GatewayError('FORBIDDEN', 'a link to an export is made with an API key, which can be revoked');
  const key = await findValidKeyById(context.database, accountId, keyId);
  // The admission of a request uses key data that may be half a second old.
  if (!key) throw new GatewayError('UNAUTHORIZED', 'a valid API key is required');
  const expiresAt = await audited(context, async (_tx, writeDown) => {
    writeDown('export_link.create', { kind: 'key', id: keyId }, { after: { address, days } });
    return Math.ceil(context.database.nowMs() / 1_000) + days * DAY_SECONDS;
  });
  const token = signExportLink({ accountId, keyId, expiresAt }, address, key.hash);
  return { token, expiresAt: new Date(expiresAt * 1_000) };
}

/**
 * @param address - path and query of the request, without the token.
 * @returns the caller that the holder of a link is: its key, for exports only; undefined when it does not open this address.
 */
export async function exportLinkCaller(
  database: Database,
  token: string,
  address: string,
): Promise<KeyRecord | undefined> {
  const claims = readExportLink(token);
  if (!claims || claims.expiresAt * 1_000 <= database.nowMs()) return undefined;
  const found = await findValidKeyById(database, claims.accountId, claims.keyId);
  if (!found || !isSignedExportLink(token, claims, address, found.hash)) return undefined;
  const { hash: _hash, ...key } = found;
  return { ...key, scopes: key.scopes.filter((scope) => SCOPES.includes(scope)) };
}
