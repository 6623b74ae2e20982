/** People: the members of the account, their invitations, and the sessions of the person who sends the request (C-40). */

import { describeRole, PLATFORM_ROLES, ROLE_NAMES, type Role, scopesOf } from '../base/access/roles.ts';
import { EMAIL_LENGTH_MAX } from '../base/input/email-address.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  changeMemberRole,
  confirmMember,
  type Invitation,
  inviteMember,
  listMembers,
  MEMBERS_MAX,
  removeMember,
} from '../resolvers/people/members.ts';
import { ownAccounts, ownSessions, revokeSession } from '../resolvers/people/sessions.ts';
import { type Member, OWN_ACCOUNTS_MAX, type OwnAccount } from '../store/people/people.ts';
import { type OwnSession, SESSIONS_LISTED } from '../store/people/person-sessions.ts';
import type { Builder } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { globalId, NODE_ID, nodeRef, nodeType } from './node.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import type { ViewerRef } from './viewer.ts';

const PERSON_ID = 'The person, `per_…`, as `personId` has it.';

/** Defines `members`, `mySessions`, `Viewer.person`, and the mutations about people. @returns the type `Person`. */
export function definePeople(
  builder: Builder,
  viewer: ViewerRef,
): { readonly person: PersonRef; readonly role: RoleRef } {
  const role = builder.enumType('MemberRole', {
    description:
      'Rights of a person in an account: each role has scopes, with the same meaning as for a key.',
    values: Object.fromEntries(
      ROLE_NAMES.map((value) => [
        value.toUpperCase(),
        {
          value,
          description: `${describeRole(value)} Scopes: ${scopesOf(value).join(', ')}.`,
          ...(value in PLATFORM_ROLES && PLATFORM_ONLY),
        },
      ]),
    ) as Record<string, { value: Role; description: string }>,
  });
  const member = defineMember(builder, role);
  defineSessions(builder);
  const person = defineViewerPerson(builder, viewer, role);
  builder.queryField('members', (t) =>
    t.field({
      type: [member],
      description: `The people of the account, also those who have not accepted their invitation, in the order in which they were invited; at most ${MEMBERS_MAX}. Needs the scope \`admin\`.`,
      complexity: { field: 1, multiplier: 100 },
      resolve: (_root, _args, context) => listMembers(context),
    }),
  );
  defineInvitation(builder, member, role);
  defineMutation(builder, 'changeMemberRole', {
    result: ['member', member],
    description:
      'Changes the role of a person in the account. It applies from the next request on. Needs the scope `admin`, and every scope of the old role and the new one; only an owner decides who is an owner.',
    input: (t) => ({
      personId: t.string({ required: true, description: PERSON_ID }),
      role: t.field({ type: role, required: true, description: 'The new role.' }),
    }),
    resolve: (args, context) =>
      changeMemberRole(
        context,
        { name: 'input.personId', value: args.personId },
        { name: 'input.role', value: args.role },
        checksOf(context),
      ),
  });
  defineMutation(builder, 'removeMember', {
    result: ['member', member],
    description:
      'Removes a person from the account, or withdraws an invitation. The person is refused from the next request on. Needs the scope `admin`, and every scope of the role.',
    input: (t) => ({ personId: t.string({ required: true, description: PERSON_ID }) }),
    resolve: ({ personId }, context) => removeMember(context, { name: 'input.personId', value: personId }),
  });
  defineMutation(builder, 'confirmMember', {
    result: ['member', member],
    description:
      'Confirms an invited person, who then no longer counts as one maker with the inviter. Only an owner may, who does not count as one maker with the person. When the access of all inviters has ended, the owner takes their place, and another one confirms. Needs the scope `admin`.',
    input: (t) => ({ personId: t.string({ required: true, description: PERSON_ID }) }),
    resolve: ({ personId }, context) => confirmMember(context, personId),
  });
  return { person, role };
}

/** Type of roles. */
export type RoleRef = ReturnType<Builder['enumType']>;

function defineMember(builder: Builder, role: RoleRef) {
  const node = nodeType<Member>(builder, 'Member', {
    rawId: ({ id }) => id,
    read: async (context, id) => (await listMembers(context)).find((each) => each.id === id) ?? null,
  });
  return builder.objectRef<Member>('Member').implement({
    interfaces: [node],
    description: 'A person with a role in the account.',
    fields: (t) => ({
      personId: t.exposeString('id', { description: 'Identifier of the person, `per_…`.' }),
      name: t.exposeString('name', { description: 'Name of the person.' }),
      email: t.exposeString('email', { description: 'E-mail address of the person, in lower case.' }),
      role: t.field({
        type: role,
        description: 'Role of the person.',
        resolve: (row) => row.role as never,
      }),
      scopes: t.stringList({
        description: 'Scopes of the role.',
        resolve: (row) => [...scopesOf(row.role)],
      }),
      invitedBy: t.exposeString('invitedBy', {
        description: 'Inviter: `keyId` of a key, id of a person, or the user name of an operator.',
      }),
      invitedAt: t.field({
        type: 'DateTime',
        description: 'When the person was invited.',
        resolve: (row) => isoOf(row.invitedAt),
      }),
      joinedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the invitation was accepted; null: not yet.',
        resolve: (row) => row.joinedAt && isoOf(row.joinedAt),
      }),
      lastSeenAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Last request of the person in this account, to about a minute; null: never.',
        resolve: (row) => row.lastSeenAt && isoOf(row.lastSeenAt),
      }),
      passkeys: t.exposeInt('passkeys', { description: 'Number of passkeys of the person.' }),
      isConfirmed: t.exposeBoolean('isConfirmed', {
        description:
          'Whether the person counts as a separate maker. False: the person counts as one with the inviter, until another owner confirms.',
      }),
    }),
  });
}

type MemberRef = ReturnType<typeof defineMember>;

function defineInvitation(builder: Builder, member: MemberRef, role: RoleRef): void {
  const invitation = builder.objectRef<Invitation>('Invitation').implement({
    description: 'An invitation that was just made.',
    fields: (t) => ({
      member: t.field({ type: member, description: 'Invited person.', resolve: (row) => row.member }),
      url: t.exposeString('url', {
        description:
          'The link that lets the person in, once. It is shown here once; send it in a way that you trust.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'When the link ends.',
        resolve: (row) => row.expiresAt.toISOString(),
      }),
    }),
  });

  defineMutation(builder, 'inviteMember', {
    result: ['invitation', invitation],
    description:
      'Invites a person to the account; for a person who has not signed in yet, makes a new link, and the old one ends. Needs the scope `admin`, and every scope of the role; only an owner invites an owner.',
    inputDescription: 'Invited person.',
    input: (t) => ({
      name: t.string({
        required: true,
        description: `Name of the person, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
      email: t.string({
        required: true,
        description: bounded('E-mail address of the person.', EMAIL_LENGTH_MAX),
      }),
      role: t.field({ type: role, required: true, description: 'Role of the person.' }),
    }),
    resolve: (input, context) => {
      const each = (name: 'name' | 'email' | 'role') => ({
        name: `input.${name}`,
        value: String(input[name]),
      });
      const person = { name: each('name'), email: each('email'), role: each('role') };
      return inviteMember(context, person, checksOf(context));
    },
  });
}

function defineSessions(builder: Builder): void {
  const node = nodeType<OwnSession>(builder, 'PersonSession', {
    rawId: ({ id }) => id,
    read: async (context, id) => (await ownSessions(context)).find((each) => each.id === id) ?? null,
  });
  const session = builder.objectRef<OwnSession>('PersonSession').implement({
    interfaces: [node],
    description:
      'A browser in which the person is signed in. It ends 12 hours after its last use, or 7 days after its start.',
    fields: (t) => ({
      sessionId: t.exposeString('id', { description: 'Identifier of the session, `ses_…`.' }),
      accountId: t.string({
        description: 'The account that the person acts on in it.',
        resolve: (row) => String(row.accountId),
      }),
      isCurrent: t.boolean({
        description: 'Whether it is the session of this request.',
        resolve: (row, _args, { caller }) => row.id === caller.person?.sessionId,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When the person signed in.',
        resolve: (row) => isoOf(row.createdAt),
      }),
      lastSeenAt: t.field({
        type: 'DateTime',
        description: 'When it was last used, to about a minute.',
        resolve: (row) => isoOf(row.seenAt),
      }),
      userAgent: t.exposeString('userAgent', {
        nullable: true,
        description: 'Name that the browser gave itself when the person signed in.',
      }),
      address: t.exposeString('address', {
        nullable: true,
        description: 'Address that the person signed in from.',
      }),
    }),
  });
  builder.queryField('mySessions', (t) =>
    t.field({
      type: [session],
      description: `The sessions of the person of the request, last used first, at most ${SESSIONS_LISTED}; none for a key.`,
      resolve: (_root, _args, context) => ownSessions(context),
    }),
  );
  defineMutation(builder, 'revokeSession', {
    result: ['sessionId', 'String'],
    description: 'Ends one of your own sessions, and returns its id. Needs the scope `read`.',
    input: (t) => ({
      sessionId: t.string({ required: true, description: 'The session, as `sessionId` has it.' }),
    }),
    resolve: async ({ sessionId }, context) => {
      await revokeSession(context, sessionId);
      return sessionId;
    },
  });
}

/** The type `Person`; the file of views adds to it. */
export type PersonRef = ReturnType<typeof defineViewerPerson>;

function defineViewerPerson(builder: Builder, viewer: ViewerRef, role: RoleRef) {
  const ownAccount = builder.objectRef<OwnAccount>('OwnAccount').implement({
    description: 'An account in which the person has a role.',
    fields: (t) => ({
      accountId: t.string({
        description: 'Identifier of the account.',
        resolve: (row) => String(row.accountId),
      }),
      name: t.exposeString('name', { description: 'Name of the account holder.' }),
      role: t.field({
        type: role,
        description: 'Role of the person there.',
        resolve: (row) => row.role as never,
      }),
    }),
  });
  const person = builder.objectRef<object>('Person').implement({
    interfaces: [nodeRef(builder)],
    description: 'The person of the request, signed in by a session.',
    fields: (t) => ({
      id: t.id({ description: NODE_ID, resolve: (_row, _args, { caller }) => globalId('Person', caller.id) }),
      personId: t.string({
        description: 'Identifier of the person, `per_…`.',
        resolve: (_row, _args, { caller }) => caller.id,
      }),
      name: t.string({
        description: 'Name of the person.',
        resolve: (_row, _args, { caller }) => caller.person?.name ?? '',
      }),
      email: t.string({
        description: 'E-mail address of the person, in lower case.',
        resolve: (_row, _args, { caller }) => caller.person?.email ?? '',
      }),
      role: t.field({
        type: role,
        description: 'Role of the person in the account of the request.',
        resolve: (_row, _args, { caller }) => caller.person?.role as never,
      }),
      hasPasskey: t.boolean({
        description: 'Whether the person has a passkey.',
        resolve: (_row, _args, { caller }) => caller.person?.hasPasskey ?? false,
      }),
      accounts: t.field({
        type: [ownAccount],
        description: `The accounts in which the person has a role, at most ${OWN_ACCOUNTS_MAX}.`,
        complexity: { field: 1, multiplier: 100 },
        resolve: (_row, _args, context) => ownAccounts(context),
      }),
    }),
  });
  builder.objectField(viewer, 'person', (t) =>
    t.field({
      type: person,
      nullable: true,
      description: 'The person of the request; null for a key.',
      resolve: (_viewer, _args, { caller }) => (caller.person ? {} : null),
    }),
  );
  builder.objectField(viewer, 'scopes', (t) =>
    t.stringList({
      description: 'Scopes of the caller, key or person.',
      resolve: (_viewer, _args, { caller }) => [...caller.scopes],
    }),
  );
  return person;
}
