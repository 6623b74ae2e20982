/** Notifications that the person gets by e-mail: one checkbox for each kind, and the language. */
import { tick } from '../../ui/field.ts';
import { type Html, html } from '../../ui/html.ts';
import { LANGUAGES } from '../../ui/language.ts';
import { note } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery } from '../generated/graphql.ts';
import { actionForm, field } from './form.ts';
import { section } from './lists.ts';

type Settings = NonNullable<SettingsQuery['viewer']['person']>['notifications'];

/** @returns the form with the present choice; null for a person who is no member, such as an operator by a link. */
export function notificationChoice(context: ScreenContext, settings: Settings | undefined): Html | null {
  if (!settings) return null;
  const { translate } = context;
  const { isSending, email, language, kinds } = settings;
  const action = 'ChooseNotifications';
  const ticks = kinds.map(({ kind, isOn }) =>
    tick({
      name: `${action}-${kind}`,
      label: translate(`notify_${kind}`),
      attributes: { name: 'kinds', value: kind, checked: isOn },
    }),
  );
  const options = (['en', 'pt'] as const).map((each) => [each.toUpperCase(), LANGUAGES[each]] as const);
  const select = field(context, action, {
    name: 'language',
    label: translate('notificationLanguage'),
    value: language,
    options,
  });
  const form = actionForm(context, {
    action,
    button: translate('saveNotifications'),
    fields: html`<fieldset><legend class="unseen">${translate('notifications')}</legend>${ticks}</fieldset>${select}`,
  });
  return section(
    'notifications',
    translate('notifications'),
    html`<div class="in stack tight">${!isSending && note('info', translate('notificationsOff'))}<p class="small soft">${translate('notificationsWhy', { email })} ${translate('notificationsByUrl')}</p>${form}</div>`,
  );
}
