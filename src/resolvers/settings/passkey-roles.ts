/** Roles whose people need a fresh passkey for every action on the account, not only for those that let money or people through. */
import { ROLE_NAMES, type Role } from '../../base/access/roles.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import { readPasskeyRoles, setPasskeyRoles } from '../../store/account/accounts.ts';
import { accountObject, difference } from '../../store/engine/audit.ts';
import { isOwnerNow } from '../checks/access.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';

/**
 * Sets these roles, in place of those before. A key has no passkey, so it can bind roles and free none: a thief of a key would free
 * the people whom he imitates next (C-40).
 *
 * @throws {GatewayError} `FORBIDDEN` for a person who is no owner, and for a key that frees a role; `STEP_UP_REQUIRED`.
 */
export async function updatePasskeyRoles(context: Context, roles: readonly Role[]): Promise<readonly Role[]> {
  requirePermission(context, 'passkey.require');
  const { accountId, person } = context.caller;
  const checks = new Violations();
  checks.atMost('input.roles', roles, ROLE_NAMES.length, 'roles');
  checks.refuse();
  const distinct = [...new Set(roles)].toSorted();
  await audited(context, async (tx, writeDown) => {
    if (person && !(await isOwnerNow(context, tx)))
      throw new GatewayError('FORBIDDEN', 'only an owner decides who needs a passkey');
    const before = await readPasskeyRoles(tx, accountId);
    const freed = before.filter((role) => !distinct.some((bound) => bound === role));
    if (!person && freed.length > 0)
      throw new GatewayError('FORBIDDEN', `only an owner in person frees a role: ${freed.join(', ')}`);
    const changed = difference({ passkeyRoles: before }, { passkeyRoles: distinct });
    if (!changed) return;
    await setPasskeyRoles(tx, accountId, distinct);
    writeDown('passkey.require', accountObject(accountId), changed);
  });
  return distinct;
}
