/** People: the members of the account with their roles, invitations, and the own sessions. */
import { ACCOUNT_ROLES, PLATFORM_ROLES } from '../../base/access/roles.ts';
import { browserName } from '../../ui/browser-name.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { roleChoice, roleWord } from '../../ui/role-words.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { MemberRole, PeopleQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { ago } from '../parts/figures.ts';
import { actionForm, addForm, disclosedForm, field } from '../parts/form.ts';
import { section, unseen } from '../parts/lists.ts';

type Member = PeopleQuery['members'][number];
type Session = PeopleQuery['mySessions'][number];

/** The screen. */
export const PEOPLE = screenOf<PeopleQuery>({
  path: '/people',
  operation: operationNamed('People'),
  scope: 'admin',
  variables: () => ({}),
  view: ({ members, mySessions }, context) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('people')}</h1><p class="row push"><a class="btn" href="${pathTo('/security')}">${translate('sessions')}</a><a class="btn" href="${pathTo('/audit')}">${translate('audit')}</a></p></div>
${memberList(context, members)}${mySessions.length > 0 && sessionList(context, mySessions)}`;
    return { title: translate('people'), main };
  },
});

/** Roles of the platform are in its own account. */
function roles(context: ScreenContext): readonly (readonly [MemberRole, string])[] {
  const isPlatform = context.session.scopes.some((scope) => scope.startsWith('platform:'));
  const names = Object.keys(isPlatform ? PLATFORM_ROLES : ACCOUNT_ROLES);
  return names
    .map((name) => name.toUpperCase() as MemberRole)
    .map((role) => [role, roleChoice(role, context.language)]);
}

function memberList(context: ScreenContext, members: readonly Member[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<Member>[] = [
    { name: translate('name'), isRowHead: true, cell: ({ name }) => name },
    { name: translate('email'), cell: ({ email }) => email },
    { name: translate('role'), cell: ({ role }) => roleWord(role, language) },
    { name: translate('passkeys'), isFigure: true, style: 'wide', cell: ({ passkeys }) => passkeys },
    {
      name: translate('lastSeen'),
      style: 'wide',
      cell: ({ lastSeenAt }) => (lastSeenAt ? ago(lastSeenAt, language) : translate('never')),
    },
    {
      name: translate('status'),
      cell: ({ joinedAt }) =>
        joinedAt ? badge('good', translate('member')) : badge('idle', translate('invited')),
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (member) => memberActions(context, member),
    },
  ];
  const caption = translate('members');
  const action = 'InviteMember';
  const fields = html`${field(context, action, { name: 'name', label: translate('name'), isRequired: true })}${field(context, action, { name: 'email', label: translate('email'), isRequired: true })}${field(context, action, { name: 'role', label: translate('role'), options: roles(context) })}`;
  const shown = table({ caption, isCaptionUnseen: true, rows: members, columns });
  const invitation = addForm(context, {
    action,
    open: translate('invite'),
    button: translate('invite'),
    fields,
  });
  return section(
    'members',
    caption,
    html`${scrolled(translate('tableOf', { name: caption }), shown)}${invitation}`,
  );
}

function memberActions(context: ScreenContext, { personId, role, isConfirmed }: Member): Html {
  const { translate } = context;
  const action = 'ChangeMemberRole';
  const preset = { personId };
  const change = disclosedForm(context, {
    action,
    preset,
    open: translate('changeRole'),
    what: translate('changeRoleWhat'),
    button: translate('changeRoleYes'),
    fields: field(
      context,
      action,
      { name: 'role', label: translate('role'), value: role, options: roles(context) },
      preset,
    ),
  });
  const confirm =
    !isConfirmed &&
    disclosedForm(context, {
      action: 'ConfirmMember',
      preset,
      open: translate('confirmMember'),
      what: translate('confirmMemberWhat'),
      button: translate('confirmMemberYes'),
    });
  const remove = disclosedForm(context, {
    action: 'RemoveMember',
    preset,
    open: translate('takeAway'),
    what: translate('removeMemberWhat'),
    button: translate('removeMemberYes'),
    kind: 'danger',
  });
  return html`<div class="row">${confirm}${change}${remove}</div>`;
}

function sessionList(context: ScreenContext, sessions: readonly Session[]): Html {
  const { translate, language } = context;
  const end = (sessionId: string) =>
    actionForm(context, {
      action: 'RevokeSession',
      preset: { sessionId },
      button: translate('endSession'),
      kind: 'pill',
    });
  const columns: readonly Column<Session>[] = [
    {
      name: translate('browser'),
      style: 'cut',
      cell: ({ userAgent }) => browserName(userAgent) ?? translate('unknown'),
    },
    { name: translate('fromWhere'), style: 'wide', cell: ({ address }) => address },
    { name: translate('lastSeen'), cell: ({ lastSeenAt }) => ago(lastSeenAt, language) },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: ({ sessionId, isCurrent }) =>
        isCurrent ? badge('good', translate('thisBrowser')) : end(sessionId),
    },
  ];
  const caption = translate('sessionsOfYours');
  const shown = table({ caption, isCaptionUnseen: true, rows: sessions, columns });
  return section('sessions', caption, scrolled(translate('tableOf', { name: caption }), shown));
}
