/** What pages of merchants may do in a browser: the origins of an account, and tokens for streams. */
import { ORIGIN_LENGTH_MAX } from '../base/origin.ts';
import { ORIGINS_MAX, updateAllowedOrigins } from '../resolvers/account/manage-origins.ts';
import { bounded } from '../resolvers/checks/lengths.ts';
import {
  createStreamToken,
  STREAM_TOKEN_SECONDS,
  type StreamToken,
} from '../resolvers/events/stream-token.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { AccountRef } from './viewer.ts';

/** Defines `Account.allowedOrigins`, `StreamToken` and the mutations of both. */
export function defineBrowserAccess(builder: Builder, account: AccountRef): void {
  builder.prismaObjectField(account, 'allowedOrigins', (t) =>
    t.exposeStringList('allowedOrigins', {
      description: 'Origins whose pages may use API keys of the account in a browser (CORS).',
    }),
  );
  builder.mutationField('updateAllowedOrigins', (t) =>
    t.stringList({
      description: `Sets the origins whose pages may use API keys of the account in a browser (CORS), at most ${ORIGINS_MAX}. They replace the present ones. Needs the scope \`admin\`.`,
      args: {
        origins: t.arg.stringList({
          required: true,
          description: `Such as \`https://shop.example.com\`: https, or http on \`localhost\`, \`127.0.0.1\` or \`[::1]\`, without a path. At most ${ORIGINS_MAX} origins, each of at most ${ORIGIN_LENGTH_MAX} characters.`,
        }),
        replaces: t.arg.stringList({ description: bounded(DESCRIPTIONS.replaces, ORIGINS_MAX, 'origins') }),
      },
      resolve: (_root, { origins, replaces }, context) =>
        updateAllowedOrigins(context, origins, replaces ? { name: 'replaces', values: replaces } : undefined),
    }),
  );
  defineStreamToken(builder);
}

function defineStreamToken(builder: Builder): void {
  const { default: defaultValue, min, max } = STREAM_TOKEN_SECONDS;
  const token = builder.objectRef<StreamToken>('StreamToken').implement({
    description:
      'Opens subscriptions of the account, and nothing else, from a page that must not have the API key.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          '`Authorization: Bearer <token>`, or `?access_token=<token>` where a browser can send no headers.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description:
          'It opens no streams after that; those that are open go on as long as its API key is valid.',
        resolve: ({ expiresAt }) => expiresAt.toISOString(),
      }),
    }),
  });
  builder.mutationField('createStreamToken', (t) =>
    t.field({
      type: token,
      description:
        'Makes a token for subscriptions in a browser. It ends with the key that made it. Needs the scope `read`.',
      args: {
        expiresIn: t.arg.int({
          defaultValue,
          description: `Seconds for which it opens streams, ${min} to ${max}.`,
        }),
      },
      resolve: (_root, { expiresIn }, context) => createStreamToken(context, expiresIn ?? defaultValue),
    }),
  );
}
