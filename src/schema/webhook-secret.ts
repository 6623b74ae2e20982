/** Signing secrets of webhooks: `WebhookSecret`, `Account.webhookSecrets` and `rotateWebhookSecret`. */
import { inProse } from '../resolvers/checks/lengths.ts';
import {
  listWebhookSecrets,
  OVERLAP_SECONDS,
  rotateWebhookSecret,
  SECRETS_MAX,
} from '../resolvers/webhooks/manage-webhooks.ts';
import type { SecretRow } from '../store/webhooks/webhooks.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import type { AccountRef } from './viewer.ts';

const OF_TRANSACTIONS =
  'The endpoint, `whe_…`. Default: the secrets shared by all endpoints that came with transactions.';

/** Defines the type, its field of `Account`, and the mutation. */
export function defineWebhookSecrets(builder: Builder, account: AccountRef): void {
  const secret = defineSecret(builder);
  builder.prismaObjectField(account, 'webhookSecrets', (t) =>
    t.field({
      type: [secret],
      description: `The valid signing secrets of an endpoint, newest first, at most ${SECRETS_MAX}. The shared secret exists from the first call on, before any delivery. Needs the scope \`admin\`.`,
      args: { endpointId: t.arg.string({ description: OF_TRANSACTIONS }) },
      resolve: (_account, { endpointId }, context) => listWebhookSecrets(context, endpointId ?? undefined),
    }),
  );
  defineRotate(builder, secret);
}

function defineSecret(builder: Builder) {
  return builder.objectRef<SecretRow>('WebhookSecret').implement({
    description: 'A secret that webhook requests are signed with.',
    fields: (t) => ({
      secret: t.exposeString('secret', {
        description: 'The secret in the form of Standard Webhooks, `whsec_…`.',
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: DESCRIPTIONS.createdAt,
        resolve: (row) => isoOf(row.createdAt),
      }),
      validUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it stops being valid; null for the current secret.',
        resolve: ({ validUntil }) => validUntil && isoOf(validUntil),
      }),
    }),
  });
}

type SecretRef = ReturnType<typeof defineSecret>;

function defineRotate(builder: Builder, secret: SecretRef): void {
  defineMutation(builder, 'rotateWebhookSecret', {
    result: ['secrets', [secret], `The valid secrets, the new one first, at most ${SECRETS_MAX}`],
    description: `Creates a new signing secret. Until the old one ends, requests are signed by both. Returns the valid secrets, the new one first, at most ${SECRETS_MAX}; a request that is repeated under its \`idempotencyKey\`, those that are valid then. Needs the scope \`admin\`.`,
    input: (t) => ({
      endpointId: t.string({ description: OF_TRANSACTIONS }),
      overlapSeconds: t.int({
        required: true,
        defaultValue: OVERLAP_SECONDS.default,
        description: `Time for which the old secret stays valid, in seconds: 0 to ${inProse(OVERLAP_SECONDS.max)}, default ${inProse(OVERLAP_SECONDS.default)}. Only 0 while ${SECRETS_MAX} secrets are valid.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const endpointId = args.endpointId ?? undefined;
      const overlap = { name: 'input.overlapSeconds', value: args.overlapSeconds };
      const keyed = { mutation: 'rotateWebhookSecret', action: 'webhook.rotate_secret', args } as const;
      let rotated: readonly SecretRow[] | undefined;
      await makeOnce(context, keyed, async (attempt) => {
        rotated = await rotateWebhookSecret(context, endpointId, overlap, attempt);
        return endpointId ?? '';
      });
      // The stored answer lacks the secrets (docs/decisions/0083).
      return [...(rotated ?? (await listWebhookSecrets(context, endpointId)))];
    },
  });
}
