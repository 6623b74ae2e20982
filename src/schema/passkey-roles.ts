/** Roles that need a passkey for every action: `Account.passkeyRoles` and its mutation. */
import { ROLE_NAMES, type Role } from '../base/access/roles.ts';
import { updatePasskeyRoles } from '../resolvers/settings/passkey-roles.ts';
import type { Builder } from './builder.ts';
import { defineMutation } from './mutation.ts';
import type { RoleRef } from './people.ts';
import type { AccountRef } from './viewer.ts';

/** Defines both. */
export function definePasskeyRoles(builder: Builder, account: AccountRef, role: RoleRef): void {
  builder.prismaObjectField(account, 'passkeyRoles', (t) =>
    t.field({
      type: [role],
      description: 'Roles whose people need a fresh passkey for every action on the account.',
      resolve: ({ passkeyRoles }) => passkeyRoles as never,
    }),
  );
  defineMutation(builder, 'updatePasskeyRoles', {
    result: ['passkeyRoles', [role], 'The roles that need a passkey now'],
    description:
      'Sets the roles whose people need a fresh passkey for every action on the account, in place of those before. Actions of the scope `read` stay without. Of people, only an owner does it; a key can add roles and remove none. Needs the scope `admin`.',
    input: (t) => ({
      roles: t.field({
        type: [role],
        required: true,
        description: `Roles, at most ${ROLE_NAMES.length}; an empty list ends the rule.`,
      }),
    }),
    resolve: async ({ roles }, context) =>
      (await updatePasskeyRoles(context, roles as unknown as Role[])) as never,
  });
}
