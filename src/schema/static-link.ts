/** Static links: each visit opens a new checkout session (C-20). */

import { currencyOfLedger } from '../base/money/currency.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { SESSION_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { AMOUNT_LENGTH_MAX, bounded, inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  createStaticLink,
  disableStaticLink,
  linkPath,
  STATIC_LINKS_MAX,
  type StaticLinkInput,
} from '../resolvers/payer/manage-links.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { memberFields } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { namedMembers } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import type { AccountRef } from './viewer.ts';

const AMOUNT = 'BRL that the customer pays; null when the customer enters the amount.';
const EXPIRES_IN = 'Lifetime of its sessions, seconds.';

/** Defines `StaticLink`, `Account.staticLinks` and the mutations that make and end them. */
export function defineStaticLinks(builder: Builder, account: AccountRef, currencies: CurrencyRefs): void {
  const link = defineLink(builder, currencies);
  builder.prismaObjectField(account, 'staticLinks', (t) =>
    t.relation('staticLinks', {
      type: link,
      description: `The static links of the account: open ones, newest first, then the last disabled ones; at most ${inProse(STATIC_LINKS_MAX)}.`,
      query: {
        orderBy: [{ disabledAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }, { slug: 'desc' }],
        take: STATIC_LINKS_MAX,
      },
      complexity: { field: 1, multiplier: 100 },
    }),
  );
  defineCreate(builder, link);
  defineMutation(builder, 'disableStaticLink', {
    result: ['staticLink', link],
    description:
      'Disables a link: it opens no more sessions. Open sessions continue. Needs the scope `admin`.',
    input: (t) => ({ slug: t.string({ required: true, description: 'Slug of the link.' }) }),
    resolve: async ({ slug }, context, query) => {
      await disableStaticLink(context, slug);
      return readLink(context, query(), slug);
    },
  });
}

function defineLink(builder: Builder, { currency }: CurrencyRefs) {
  const node = nodeType<{ slug: string }>(builder, 'StaticLink', {
    rawId: ({ slug }) => slug,
    read: (context, slug) => {
      requireScope(context, 'read');
      const { accountId } = context.caller;
      return prismaOf(context.database).staticLink.findFirst({ where: { accountId, slug } });
    },
  });
  return builder.prismaObject('StaticLink', {
    interfaces: [node],
    description: 'A link that opens a new checkout session at each visit.',
    fields: (t) => ({
      slug: t.exposeString('slug', { description: 'Identifier of the link: the last part of its URL.' }),
      url: t.string({
        description: 'URL for customers. Each visit opens a new session.',
        resolve: ({ slug }, _args, { publicUrl }) => publicUrl + linkPath(slug),
      }),
      name: t.exposeString('name', { description: 'Purpose, as payers see it.' }),
      currency: t.field({
        type: currency,
        description: 'Crypto that is received.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      amount: t.field({
        type: 'Decimal',
        nullable: true,
        description: AMOUNT,
        resolve: ({ amount }) => amount?.toFixed() ?? null,
      }),
      externalCode: t.exposeString('externalCode', {
        nullable: true,
        description: 'Your reference, copied to each session.',
      }),
      returnUrl: t.exposeString('returnUrl', {
        nullable: true,
        description: 'URL for customers after the payment.',
      }),
      webhook: t.exposeString('webhook', {
        nullable: true,
        description: 'URL that receives the events of its sessions.',
      }),
      expiresIn: t.exposeInt('expiresIn', { description: EXPIRES_IN }),
      createdAt: t.field({
        type: 'DateTime',
        description: DESCRIPTIONS.createdAt,
        resolve: (row) => isoOf(row.createdAt),
      }),
      disabledAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was disabled; null while it works.',
        resolve: ({ disabledAt }) => disabledAt && isoOf(disabledAt),
      }),
    }),
  });
}

type LinkRef = ReturnType<typeof defineLink>;

function defineCreate(builder: Builder, link: LinkRef): void {
  defineMutation(builder, 'createStaticLink', {
    result: ['staticLink', link],
    description: `Creates a static link with a fixed or an open amount. An account can have at most ${inProse(STATIC_LINKS_MAX)} that are not disabled. Needs the scope \`admin\`.`,
    inputDescription: 'A static link, and what its sessions are created with.',
    input: (t) => ({
      name: t.string({ required: true, description: bounded('Your own name for it.', REFERENCE_LENGTH_MAX) }),
      currency: t.string({
        required: true,
        description: `Crypto that is received. ${DESCRIPTIONS.currency}`,
      }),
      amount: t.field({ type: 'Decimal', description: bounded(AMOUNT, AMOUNT_LENGTH_MAX) }),
      ...memberFields(t, SESSION_MEMBERS),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context, query) => {
      const keyed = { mutation: 'createStaticLink', action: 'link.create', args } as const;
      const { idempotencyKey: _key, ...members } = args;
      const input = namedMembers<StaticLinkInput>('input', members);
      // The form of answers from before `makeOnce`.
      const { stored } = await performOnce(context, keyed, async (attempt) => ({
        slug: attempt.made ?? (await createStaticLink(context, input, checksOf(context), attempt)),
      }));
      return readLink(context, query(), stored.slug);
    },
  });
}

function readLink({ database, caller }: GraphqlContext, query: object, slug: string) {
  const where = { accountId_slug: { accountId: caller.accountId, slug } };
  return prismaOf(database).staticLink.findUniqueOrThrow({ ...query, where });
}
