/** Access of merchants' pages in browsers: the origins of an account, and tokens for streams. */
import { ORIGIN_LENGTH_MAX } from '../base/access/origin.ts';
import { bounded } from '../resolvers/checks/lengths.ts';
import {
  createStreamToken,
  STREAM_TOKEN_SECONDS,
  type StreamToken,
} from '../resolvers/events/stream-token.ts';
import { ORIGINS_MAX, updateAllowedOrigins } from '../resolvers/settings/manage-origins.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import type { AccountRef } from './viewer.ts';

/** Defines `Account.allowedOrigins`, `StreamToken` and the mutations of both. */
export function defineBrowserAccess(builder: Builder, account: AccountRef): void {
  builder.prismaObjectField(account, 'allowedOrigins', (t) =>
    t.exposeStringList('allowedOrigins', {
      description: 'Origins whose pages may use API keys of the account in a browser (CORS).',
    }),
  );
  defineMutation(builder, 'updateAllowedOrigins', {
    result: ['allowedOrigins', ['String'], 'The origins that are allowed now'],
    description: `Sets the origins whose pages may use API keys of the account in a browser (CORS), at most ${ORIGINS_MAX}. They replace the current ones. Needs the scope \`admin\`.`,
    input: (t) => ({
      origins: t.stringList({
        required: true,
        description: `Such as \`https://shop.example.com\`: https, or http on \`localhost\`, \`127.0.0.1\` or \`[::1]\`, without a path. At most ${ORIGINS_MAX} origins, each of at most ${ORIGIN_LENGTH_MAX} characters.`,
      }),
      replaces: t.stringList({ description: bounded(DESCRIPTIONS.replaces, ORIGINS_MAX, 'origins') }),
    }),
    resolve: ({ origins, replaces }, context) =>
      updateAllowedOrigins(
        context,
        origins,
        replaces ? { name: 'input.replaces', values: replaces } : undefined,
      ),
  });
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
        description: 'It opens no streams after that; open streams continue as long as its API key is valid.',
        resolve: ({ expiresAt }) => expiresAt.toISOString(),
      }),
    }),
  });
  defineMutation(builder, 'createStreamToken', {
    result: ['streamToken', token],
    description:
      'Makes a token for subscriptions in a browser. It ends with the key that made it. Needs the scope `read`.',
    input: (t) => ({
      expiresIn: t.int({
        defaultValue,
        description: `Seconds for which it opens streams, ${min} to ${max}.`,
      }),
    }),
    resolve: ({ expiresIn }, context) => createStreamToken(context, expiresIn ?? defaultValue),
  });
}
