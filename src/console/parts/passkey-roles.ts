/** Roles whose people need a passkey for every action. */
import { ACCOUNT_ROLES, PLATFORM_ROLES, type Role, scopesOf } from '../../base/access/roles.ts';
import { tick } from '../../ui/field.ts';
import { type Html, html } from '../../ui/html.ts';
import { roleWord } from '../../ui/role-words.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery } from '../generated/graphql.ts';
import { disclosedForm } from './form.ts';
import { section } from './lists.ts';

type Roles = SettingsQuery['viewer']['account']['passkeyRoles'];

/** @returns the roles, and the form that chooses them. A role that only reads has no action that needs a passkey. */
export function passkeyRoles(context: ScreenContext, chosen: Roles): Html {
  const { translate, language, session } = context;
  const action = 'UpdatePasskeyRoles';
  const isPlatform = session.scopes.some((scope) => scope.startsWith('platform:'));
  const roles = (Object.keys(isPlatform ? PLATFORM_ROLES : ACCOUNT_ROLES) as Role[]).filter(
    (role) => scopesOf(role).length > 1,
  );
  const ticks = roles.map((role) => {
    const value = role.toUpperCase() as Roles[number];
    const attributes = { name: 'roles', value, checked: chosen.includes(value) };
    return tick({ name: `${action}-${role}`, label: roleWord(role, language), attributes });
  });
  const form = disclosedForm(context, {
    action,
    open: translate('changeSettings'),
    what: translate('passkeyRolesWhat'),
    button: translate('changeSettingsYes'),
    fields: html`<fieldset><legend>${translate('passkeyRolesFor')}</legend>${ticks}</fieldset>`,
  });
  const named = chosen.map((role) => roleWord(role, language)).join(', ');
  return section(
    'passkeys',
    translate('passkeyRoles'),
    html`<div class="in stack tight"><p>${named || translate('passkeyRolesNone')}</p>${form}</div>`,
  );
}
