/**
 * Passkeys of the person who sends the request. A browser adds a passkey at `/console/security`: it signs for the origin of
 * that page.
 */

import { forgetPasskey, ownPasskeys, PASSKEYS_MAX } from '../resolvers/people/passkeys.ts';
import type { OwnPasskey } from '../store/people/passkeys.ts';
import type { Builder } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';

/** Defines `myPasskeys` and `removePasskey`. */
export function definePasskeys(builder: Builder): void {
  const node = nodeType<OwnPasskey>(builder, 'Passkey', {
    rawId: ({ id }) => id,
    read: async (context, id) => (await ownPasskeys(context)).find((each) => each.id === id) ?? null,
  });
  const passkey = builder.objectRef<OwnPasskey>('Passkey').implement({
    interfaces: [node],
    description: 'A passkey of a person. It is added by a browser, at `/console/security`.',
    fields: (t) => ({
      passkeyId: t.exposeString('id', { description: 'Identifier of the passkey: its credential id.' }),
      name: t.exposeString('name', { description: 'Name that the person gave it.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was added.',
        resolve: (row) => isoOf(row.createdAt),
      }),
      lastUsedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was last presented; null if it was not since it was added.',
        resolve: (row) => row.lastUsedAt && isoOf(row.lastUsedAt),
      }),
    }),
  });
  builder.queryField('myPasskeys', (t) =>
    t.field({
      type: [passkey],
      description: `The passkeys of the person of the request, oldest first, at most ${PASSKEYS_MAX}; none for a key. Needs the scope \`read\`.`,
      resolve: (_root, _args, context) => ownPasskeys(context),
    }),
  );
  defineMutation(builder, 'removePasskey', {
    result: ['passkeyId', 'String'],
    description:
      'Removes one of your own passkeys, and returns its id. Needs the scope `read`, and a passkey check within the last five minutes.',
    input: (t) => ({
      passkeyId: t.string({ required: true, description: 'Identifier of the passkey, from `passkeyId`.' }),
    }),
    resolve: async ({ passkeyId }, context) => {
      await forgetPasskey(context, passkeyId);
      return passkeyId;
    },
  });
}
