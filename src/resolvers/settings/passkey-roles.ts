/** Roles whose people need a fresh passkey for every action on the account, not only for those that let money or people through. */
import { ROLE_NAMES, type Role } from '../../base/access/roles.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import { readPasskeyRoles, setPasskeyRoles } from '../../store/account/accounts.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { auditedChange } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';

/** Sets these roles, in place of those before. @throws {GatewayError} `FORBIDDEN` for a person who is no owner; `STEP_UP_REQUIRED`. */
export async function updatePasskeyRoles(context: Context, roles: readonly Role[]): Promise<readonly Role[]> {
  requirePermission(context, 'passkey.require');
  const { accountId, person } = context.caller;
  if (person && person.role !== 'owner' && person.role !== 'platform_owner')
    throw new GatewayError('FORBIDDEN', 'only an owner decides who needs a passkey');
  const checks = new Violations();
  checks.atMost('input.roles', roles, ROLE_NAMES.length, 'roles');
  checks.refuse();
  const distinct = [...new Set(roles)].toSorted();
  await auditedChange(
    context,
    'passkey.require',
    accountObject(accountId),
    async (tx) => ({ passkeyRoles: await readPasskeyRoles(tx, accountId) }),
    (tx) => setPasskeyRoles(tx, accountId, distinct),
  );
  return distinct;
}
