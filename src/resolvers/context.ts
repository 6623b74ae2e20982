/** What every use case is given: the services it works with, and who asks. */
import type { Scope } from '../base/api-key.ts';
import { GatewayError } from '../base/errors.ts';
import type { KeyRecord } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';
import type { Registry } from '../templates/registry.ts';

/** Who asks: an API key, and by it an account. Nothing else says which account's records are read. */
export interface Context {
  readonly database: Database;
  readonly registry: Registry;
  readonly caller: KeyRecord;
}

/** @throws {GatewayError} `FORBIDDEN` when the caller's key lacks the scope; the detail names it. */
export function requireScope(context: Context, scope: Scope): void {
  if (!context.caller.scopes.includes(scope)) {
    throw new GatewayError('FORBIDDEN', `this needs a key with the scope "${scope}"`);
  }
}
