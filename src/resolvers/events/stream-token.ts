/** Stream tokens: they open subscriptions in browsers, where an API key must not be (a key has all its rights). */

import { isSignedStreamToken, readStreamToken, signStreamToken } from '../../base/access/stream-token.ts';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import { findValidKeyById, type KeyRecord } from '../../store/account/api-keys.ts';
import type { Database } from '../../store/connection/database.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';

/** A token, and the time from which it opens no new streams. */
export interface StreamToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Default life of a token, and its bounds. Unit: seconds. */
export const STREAM_TOKEN_SECONDS = { default: 300, min: 10, max: 900 } as const;

/**
 * Makes a token for the subscriptions of the caller's account.
 *
 * @param seconds - time in which it opens streams; an open stream continues.
 * @throws {GatewayError} `FORBIDDEN`, and for a person as well, whose session opens subscriptions itself;
 *   `INVALID_PARAMETER` for seconds out of bounds; `UNAUTHORIZED` when the key has just ended.
 */
export async function createStreamToken(context: Context, seconds: number): Promise<StreamToken> {
  requirePermission(context, 'stream_token.create');
  const { min, max } = STREAM_TOKEN_SECONDS;
  if (seconds < min || seconds > max)
    throw invalidParameters([{ parameter: 'expiresIn', message: `must be from ${min} to ${max} (seconds)` }]);
  const { accountId, id: keyId, person } = context.caller;
  if (person)
    throw new GatewayError(
      'FORBIDDEN',
      'a stream token is made with an API key: a session opens subscriptions itself',
    );
  const key = await findValidKeyById(context.database, accountId, keyId);
  // The admission of a request uses key data that may be half a second old.
  if (!key) throw new GatewayError('UNAUTHORIZED', 'a valid API key is required');
  const expiresAt = await audited(context, async (_tx, writeDown) => {
    writeDown('stream_token.create', { kind: 'key', id: keyId }, { after: { seconds } });
    return Math.ceil(context.database.nowMs() / 1_000) + seconds;
  });
  return {
    token: signStreamToken({ accountId, keyId, expiresAt }, key.hash),
    expiresAt: new Date(expiresAt * 1_000),
  };
}

/** @returns the caller that a token stands for: its key, for subscriptions only; undefined if the token is invalid. */
export async function streamTokenCaller(database: Database, token: string): Promise<KeyRecord | undefined> {
  const claims = readStreamToken(token);
  if (!claims || claims.expiresAt * 1_000 <= database.nowMs()) return undefined;
  const found = await findValidKeyById(database, claims.accountId, claims.keyId);
  if (!found || !isSignedStreamToken(token, claims, found.hash)) return undefined;
  const { hash: _hash, ...key } = found;
  return { ...key, scopes: key.scopes.filter((scope) => scope === 'read'), isForStreams: true };
}
