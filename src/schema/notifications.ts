/** Notifications by e-mail: `Person.notifications`, and the mutation that chooses them. */
import {
  NOTIFICATION_KINDS,
  NOTIFICATIONS,
  type NotificationKind,
} from '../base/access/notification-kinds.ts';
import type { Label } from '../base/text/label.ts';
import {
  chooseNotifications,
  type OwnNotifications,
  ownNotifications,
} from '../resolvers/people/notifications.ts';
import type { Builder } from './builder.ts';
import { defineMutation } from './mutation.ts';
import type { PersonRef } from './people.ts';

/** Defines `NotificationSettings` with its enums, `Person.notifications` and `chooseNotifications`. */
export function defineNotifications(builder: Builder, person: PersonRef): void {
  const kind = builder.enumType('NotificationKind', {
    description: 'Kind of a notification.',
    values: Object.fromEntries(
      NOTIFICATION_KINDS.map((value) => [
        value.toUpperCase(),
        {
          value,
          description: `${NOTIFICATIONS[value].description} For roles with the scope \`${NOTIFICATIONS[value].scope}\`.`,
        },
      ]),
    ) as Record<string, { value: NotificationKind; description: string }>,
  });
  const language = builder.enumType('NotificationLanguage', {
    description: 'Language of notifications.',
    values: {
      EN: { value: 'en', description: 'English.' },
      PT: { value: 'pt', description: 'Brazilian Portuguese.' },
    } as const satisfies Record<string, { value: keyof Label; description: string }>,
  });
  const choice = builder.objectRef<OwnNotifications['kinds'][number]>('NotificationChoice').implement({
    description: 'A kind of notifications, and whether it is on.',
    fields: (t) => ({
      kind: t.field({ type: kind, description: 'The kind.', resolve: (row) => row.kind }),
      isOn: t.exposeBoolean('isOn', { description: 'Whether the person gets it.' }),
    }),
  });
  const settings = builder.objectRef<OwnNotifications>('NotificationSettings').implement({
    description: 'Notifications that a person gets by e-mail about one account.',
    fields: (t) => ({
      isSending: t.exposeBoolean('isSending', {
        description: 'Whether this gateway has a mail server; without one nothing is sent.',
      }),
      email: t.exposeString('email', { description: 'Address that they are sent to: that of the person.' }),
      language: t.field({
        type: language,
        description: 'Their language. Default: `PT`.',
        resolve: (row) => row.language,
      }),
      kinds: t.field({
        type: [choice],
        description: 'Kinds that the role may choose. Until a person chooses, owners get all, others none.',
        resolve: (row) => [...row.kinds],
      }),
    }),
  });
  builder.objectField(person, 'notifications', (t) =>
    t.field({
      type: settings,
      nullable: true,
      description: 'Notifications of the person about the account of the request.',
      resolve: (_row, _args, context) => ownNotifications(context),
    }),
  );
  defineMutation(builder, 'chooseNotifications', {
    result: ['notifications', settings],
    description:
      'Chooses the notifications that you get by e-mail about the account. People only. Needs the scope `read`.',
    input: (t) => ({
      kinds: t.field({
        type: [kind],
        required: true,
        description: 'All kinds to receive, each at most once; the others are off.',
      }),
      language: t.field({ type: language, required: true, description: 'Language of the e-mail.' }),
    }),
    resolve: async ({ kinds, language: chosen }, context) =>
      chooseNotifications(context, kinds, chosen) as Promise<OwnNotifications>,
  });
}
