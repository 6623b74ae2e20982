/** API keys: `Query.apiKeys`, and the mutations that make, replace and end them (C-40). */
import {
  ALLOWED_CIDRS_MAX,
  API_KEYS_MAX,
  type IssuedKey,
  issueKey,
  KEY_OVERLAP_SECONDS,
  revokeApiKey,
  rotateKey,
  SCOPES_MAX,
} from '../resolvers/account/manage-keys.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, type Keyed, makeOnce } from './once.ts';
import type { ApiKeyRef } from './viewer.ts';
import { KEY_LIST, readKeys } from './whole-lists.ts';

/** A key whose text is null if it cannot be shown again. */
interface Issued {
  readonly keyId: string;
  readonly apiKey: string | null;
}

const KEY_ID = 'The key, `key_…`, as `keyId` has it.';

/** Defines `Query.apiKeys`, `createApiKey`, `rotateApiKey` and `revokeApiKey`. */
export function defineApiKeys(builder: Builder, apiKey: ApiKeyRef): void {
  builder.queryField('apiKeys', (t) =>
    t.prismaField({
      type: [apiKey],
      ...KEY_LIST,
      resolve: (query, _root, _args, context) => readKeys(context, query),
    }),
  );
  const issued = defineIssued(builder, apiKey);
  defineCreate(builder, issued);
  defineRotate(builder, issued);
  defineMutation(builder, 'revokeApiKey', {
    result: ['apiKey', apiKey],
    description:
      'Revokes a key: every process refuses it within a second. Repeating it changes nothing. Needs the scope `admin`.',
    input: (t) => ({ keyId: t.string({ required: true, description: KEY_ID }) }),
    resolve: async ({ keyId }, context, query) => {
      await revokeApiKey(context, keyId);
      return prismaOf(context.database).apiKey.findUniqueOrThrow({
        ...query(),
        where: whereOf(context, keyId),
      });
    },
  });
}

function defineIssued(builder: Builder, apiKey: ApiKeyRef) {
  return builder.objectRef<Issued>('IssuedApiKey').implement({
    description: 'A key that was just created.',
    fields: (t) => ({
      apiKey: t.exposeString('apiKey', {
        nullable: true,
        description:
          'The secret text of the key. It is shown here once; store it. Null when the request is repeated under its `idempotencyKey`: the text is stored nowhere.',
      }),
      key: t.prismaField({
        type: apiKey,
        description: 'The key.',
        resolve: (query, { keyId }, _args, context) =>
          prismaOf(context.database).apiKey.findUniqueOrThrow({ ...query, where: whereOf(context, keyId) }),
      }),
    }),
  });
}

type IssuedRef = ReturnType<typeof defineIssued>;

/** Issues a key once; the stored answer lacks its text (docs/decisions/0083). */
async function issueOnce(
  context: GraphqlContext,
  keyed: Keyed,
  issue: (attempt: Attempt) => Promise<IssuedKey>,
): Promise<Issued> {
  let apiKey: string | null = null;
  const keyId = await makeOnce(context, keyed, async (attempt) => {
    const issued = await issue(attempt);
    apiKey = issued.apiKey;
    return issued.keyId;
  });
  return { keyId, apiKey };
}

function defineCreate(builder: Builder, issued: IssuedRef): void {
  defineMutation(builder, 'createApiKey', {
    result: ['issuedApiKey', issued],
    description: `Creates a key of the account, which can have at most ${API_KEYS_MAX} that are valid. Keys that one key created count as one maker when a withdrawal is approved. Needs the scope \`admin\`, and every scope that the new key gets.`,
    inputDescription: 'A new key.',
    input: (t) => ({
      name: t.string({
        required: true,
        description: `Purpose, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
      scopes: t.stringList({
        required: true,
        description: bounded(
          'Its rights: `read`, `create`, `move`, `admin`; only scopes of the key that creates it.',
          SCOPES_MAX,
          'scopes',
        ),
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description:
          'When it stops working. Default: the end of the key that creates it, which is also the latest possible end.',
      }),
      allowedCidrs: t.stringList({
        description: bounded(
          'Networks that it may be used from, such as `203.0.113.0/24`. Default: those of the key that creates it; not outside of them.',
          ALLOWED_CIDRS_MAX,
          'networks',
        ),
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const { name, scopes, expiresAt, allowedCidrs } = args;
      const each = (path: string, values: readonly string[] | null | undefined) =>
        (values ?? []).map((value, at) => ({ name: `${path}.${at}`, value }));
      const input = {
        name: { name: 'input.name', value: name },
        scopes: each('input.scopes', scopes),
        expiresAt: expiresAt ? { name: 'input.expiresAt', value: expiresAt } : undefined,
        allowedCidrs: each('input.allowedCidrs', allowedCidrs),
        names: { scopes: 'input.scopes', allowedCidrs: 'input.allowedCidrs' },
      };
      const keyed = { mutation: 'createApiKey', action: 'key.create', args } as const;
      return issueOnce(context, keyed, (attempt) => issueKey(context, input, checksOf(context), attempt));
    },
  });
}

function defineRotate(builder: Builder, issued: IssuedRef): void {
  defineMutation(builder, 'rotateApiKey', {
    result: ['issuedApiKey', issued],
    description:
      'Creates a key that replaces another one, with the same name, scopes, networks and expiry. The old key stays valid for the overlap. Needs the scope `admin`, every scope of the old key, and a key that expires no earlier and works from all networks of the old key.',
    input: (t) => ({
      keyId: t.string({ required: true, description: KEY_ID }),
      overlapSeconds: t.int({
        required: true,
        defaultValue: KEY_OVERLAP_SECONDS.default,
        description: `Time for which the old key stays valid, in seconds: 0 to ${inProse(KEY_OVERLAP_SECONDS.max)}, default ${inProse(KEY_OVERLAP_SECONDS.default)}. Only 0 while ${API_KEYS_MAX} keys are valid.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const overlap = { name: 'input.overlapSeconds', value: args.overlapSeconds };
      const keyed = { mutation: 'rotateApiKey', action: 'key.rotate', args } as const;
      return issueOnce(context, keyed, (attempt) => rotateKey(context, args.keyId, overlap, attempt));
    },
  });
}

function whereOf({ caller }: GraphqlContext, id: string) {
  return { accountId_id: { accountId: caller.accountId, id } };
}
