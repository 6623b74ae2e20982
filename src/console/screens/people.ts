/** People: the members of the account with their roles, invitations, and the own sessions. */
import { ACCOUNT_ROLES, PLATFORM_ROLES } from '../../base/access/roles.ts';
import { browserName } from '../../ui/browser-name.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { roleWord } from '../../ui/role-words.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { MemberRole, PeopleQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { ago } from '../parts/figures.ts';
import { actForm, addForm, askedForm, field } from '../parts/form.ts';
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
    const { say } = context;
    const main = html`<div class="top"><h1>${say('people')}</h1><p class="row push"><a class="btn" href="${pathTo('/security')}">${say('sessions')}</a><a class="btn" href="${pathTo('/audit')}">${say('audit')}</a></p></div>
${memberList(context, members)}${mySessions.length > 0 && sessionList(context, mySessions)}`;
    return { title: say('people'), main };
  },
});

/** Roles of the platform stand in its own account. */
function roles(context: ScreenContext): readonly (readonly [MemberRole, string])[] {
  const isPlatform = context.session.scopes.some((scope) => scope.startsWith('platform:'));
  const names = Object.keys(isPlatform ? PLATFORM_ROLES : ACCOUNT_ROLES);
  return names
    .map((name) => name.toUpperCase() as MemberRole)
    .map((role) => [role, roleWord(role, context.language)]);
}

function memberList(context: ScreenContext, members: readonly Member[]): Html {
  const { say, language } = context;
  const columns: readonly Column<Member>[] = [
    { name: say('name'), isRowHead: true, cell: ({ name }) => name },
    { name: say('email'), cell: ({ email }) => email },
    { name: say('role'), cell: ({ role }) => roleWord(role, language) },
    { name: say('passkeys'), isFigure: true, look: 'wide', cell: ({ passkeys }) => passkeys },
    {
      name: say('lastSeen'),
      look: 'wide',
      cell: ({ lastSeenAt }) => (lastSeenAt ? ago(lastSeenAt, language) : say('never')),
    },
    {
      name: say('status'),
      cell: ({ joinedAt }) => (joinedAt ? badge('good', say('member')) : badge('idle', say('invited'))),
    },
    { name: unseen(say('actsHere')), isActs: true, cell: (member) => memberActs(context, member) },
  ];
  const caption = say('members');
  const act = 'InviteMember';
  const fields = html`${field(context, act, { name: 'name', label: say('name'), isRequired: true })}${field(context, act, { name: 'email', label: say('email'), isRequired: true })}${field(context, act, { name: 'role', label: say('role'), options: roles(context) })}`;
  const shown = table({ caption, isCaptionUnseen: true, rows: members, columns });
  const invitation = addForm(context, { act, open: say('invite'), button: say('invite'), fields });
  return section(
    'members',
    caption,
    html`${scrolled(say('tableOf', { name: caption }), shown)}${invitation}`,
  );
}

function memberActs(context: ScreenContext, { personId, role, isConfirmed }: Member): Html {
  const { say } = context;
  const act = 'ChangeMemberRole';
  const given = { personId };
  const change = askedForm(context, {
    act,
    given,
    open: say('changeRole'),
    what: say('changeRoleWhat'),
    button: say('changeRoleYes'),
    fields: field(
      context,
      act,
      { name: 'role', label: say('role'), value: role, options: roles(context) },
      given,
    ),
  });
  const confirm =
    !isConfirmed &&
    askedForm(context, {
      act: 'ConfirmMember',
      given,
      open: say('confirmMember'),
      what: say('confirmMemberWhat'),
      button: say('confirmMemberYes'),
    });
  const remove = askedForm(context, {
    act: 'RemoveMember',
    given,
    open: say('takeAway'),
    what: say('removeMemberWhat'),
    button: say('removeMemberYes'),
    kind: 'danger',
  });
  return html`<div class="row">${confirm}${change}${remove}</div>`;
}

function sessionList(context: ScreenContext, sessions: readonly Session[]): Html {
  const { say, language } = context;
  const end = (sessionId: string) =>
    actForm(context, { act: 'RevokeSession', given: { sessionId }, button: say('endSession'), kind: 'pill' });
  const columns: readonly Column<Session>[] = [
    { name: say('browser'), look: 'cut', cell: ({ userAgent }) => browserName(userAgent) ?? say('unknown') },
    { name: say('fromWhere'), look: 'wide', cell: ({ address }) => address },
    { name: say('lastSeen'), cell: ({ lastSeenAt }) => ago(lastSeenAt, language) },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: ({ sessionId, isCurrent }) => (isCurrent ? badge('good', say('thisBrowser')) : end(sessionId)),
    },
  ];
  const caption = say('sessionsOfYours');
  const shown = table({ caption, isCaptionUnseen: true, rows: sessions, columns });
  return section('sessions', caption, scrolled(say('tableOf', { name: caption }), shown));
}
