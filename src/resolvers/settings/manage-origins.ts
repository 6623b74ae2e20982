/** Origins of pages that may use the keys of an account in a browser (CORS). */

import { isOrigin } from '../../base/access/origin.ts';
import { invalidParameters } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import { readAllowedOrigins, setAllowedOrigins } from '../../store/account/accounts.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { auditedChange } from '../checks/audited.ts';
import { refuseUnseen, type SeenList } from '../checks/replaced-list.ts';
import { type Context, requirePermission } from '../services/context.ts';

/** Maximum number of origins of an account. */
export const ORIGINS_MAX = 20;

/**
 * Sets the origins of an account, replacing earlier ones.
 *
 * @param seen - the present ones, as the caller saw them; if omitted, they are replaced without a check.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for any value but an origin of https, or of http on this
 *   machine; `LIST_CHANGED` when the present ones differ from the seen ones.
 */
export async function updateAllowedOrigins(
  context: Context,
  origins: readonly string[],
  seen: SeenList | undefined,
): Promise<string[]> {
  requirePermission(context, 'origins.update');
  const checks = new Violations();
  checks.atMost('origins', origins, ORIGINS_MAX, 'origins');
  if (seen) checks.atMost(seen.name, seen.values, ORIGINS_MAX, 'origins');
  checks.refuse();
  const distinct = [...new Set(origins)];
  const violations = distinct
    .filter((origin) => !isOrigin(origin))
    .map((origin) => ({
      parameter: 'origins',
      message: `must be origins such as https://shop.example.com (http on this machine only), without a path: ${origin.slice(0, 100)}`,
    }));
  if (violations.length > 0) throw invalidParameters(violations);
  const { accountId } = context.caller;
  await auditedChange(
    context,
    'origins.update',
    accountObject(accountId),
    async (tx) => ({ allowedOrigins: await readAllowedOrigins(tx, accountId) }),
    async (tx) => {
      refuseUnseen(await readAllowedOrigins(tx, accountId), distinct, seen);
      await setAllowedOrigins(tx, accountId, distinct);
    },
  );
  return distinct;
}
