/** People: the members of the account with their roles, invitations, and the own sessions. */
import { ACCOUNT_ROLES, PLATFORM_ROLES } from '../../base/roles.ts';
import { browserName } from '../../ui/browser-name.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { roleWord } from '../../ui/role-words.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, pathTo, screenOf } from '../desk.ts';
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
  view: ({ members, mySessions }, desk) => {
    const { say } = desk;
    const main = html`<div class="top"><h1>${say('people')}</h1><p class="row push"><a class="btn" href="${pathTo('/security')}">${say('sessions')}</a><a class="btn" href="${pathTo('/audit')}">${say('audit')}</a></p></div>
${memberList(desk, members)}${mySessions.length > 0 && sessionList(desk, mySessions)}`;
    return { title: say('people'), main };
  },
});

/** Roles of the platform stand in its own account. */
function roles(desk: Desk): readonly (readonly [MemberRole, string])[] {
  const isPlatform = desk.session.scopes.some((scope) => scope.startsWith('platform:'));
  const names = Object.keys(isPlatform ? PLATFORM_ROLES : ACCOUNT_ROLES);
  return names
    .map((name) => name.toUpperCase() as MemberRole)
    .map((role) => [role, roleWord(role, desk.language)]);
}

function memberList(desk: Desk, members: readonly Member[]): Html {
  const { say, language } = desk;
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
    { name: unseen(say('actsHere')), isActs: true, cell: (member) => memberActs(desk, member) },
  ];
  const caption = say('members');
  const act = 'InviteMember';
  const fields = html`${field(desk, act, { name: 'name', label: say('name'), isRequired: true })}${field(desk, act, { name: 'email', label: say('email'), isRequired: true })}${field(desk, act, { name: 'role', label: say('role'), options: roles(desk) })}`;
  const shown = table({ caption, isCaptionUnseen: true, rows: members, columns });
  const invitation = addForm(desk, { act, open: say('invite'), button: say('invite'), fields });
  return section(
    'members',
    caption,
    html`${scrolled(say('tableOf', { name: caption }), shown)}${invitation}`,
  );
}

function memberActs(desk: Desk, { personId, role }: Member): Html {
  const { say } = desk;
  const act = 'ChangeMemberRole';
  const given = { personId };
  const change = askedForm(desk, {
    act,
    given,
    open: say('changeRole'),
    what: say('changeRoleWhat'),
    button: say('changeRoleYes'),
    fields: field(desk, act, { name: 'role', label: say('role'), value: role, options: roles(desk) }, given),
  });
  const remove = askedForm(desk, {
    act: 'RemoveMember',
    given,
    open: say('takeAway'),
    what: say('removeMemberWhat'),
    button: say('takeAwayYes'),
    kind: 'danger',
  });
  return html`<div class="row">${change}${remove}</div>`;
}

function sessionList(desk: Desk, sessions: readonly Session[]): Html {
  const { say, language } = desk;
  const end = (sessionId: string) =>
    actForm(desk, { act: 'RevokeSession', given: { sessionId }, button: say('endSession'), kind: 'pill' });
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
