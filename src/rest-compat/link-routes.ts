/** Static links in `/v2`: each visit opens a new checkout session (C-20). */
import { currencyOfLedger } from '../base/money/currency.ts';
import { trimDecimal } from '../base/money/money.ts';
import { CHECKOUT_MEMBERS, SESSION_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  createStaticLink,
  disableStaticLink,
  linkPath,
  STATIC_LINKS_MAX,
} from '../resolvers/payer/manage-links.ts';
import { listStaticLinks, readStaticLink } from '../resolvers/payer/read-links.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { LinkRecord } from '../store/account/static-links.ts';
import { amount, shapeOf, text } from './members.ts';
import { listSchema, oneSchema, type RecordRead, type RecordWrite } from './record-route.ts';
import { membersOf, type RecordShape, recordJson } from './record-shape.ts';

const link = membersOf<LinkRecord>();

/** Links. */
export const STATIC_LINK: RecordShape<LinkRecord> = {
  name: 'StaticLink',
  members: {
    slug: link.text('Identifier: the last part of its URL.', ({ slug }) => slug),
    url: link.text(
      'URL for customers; each visit opens a new session.',
      ({ slug }, { publicUrl }) => publicUrl + linkPath(slug),
      { format: 'uri' },
    ),
    name: link.text('Purpose, as payers see it.', ({ name }) => name),
    currency_exit_received_code: link.text(
      'Crypto that is received.',
      ({ currency }) => currencyOfLedger(currency).code,
    ),
    amount_payment: link.decimal(
      'BRL that the customer pays; null where the customer enters it.',
      (row) => row.amount && trimDecimal(row.amount),
    ),
    external_code: link.textOrNull('Your reference, copied to each session.', (row) => row.externalCode),
    return_url: link.textOrNull('Where customers are sent after the payment.', ({ returnUrl }) => returnUrl),
    webhook: link.textOrNull('URL that receives the events of its sessions.', ({ webhook }) => webhook),
    expires_in: link.count('Life of its sessions, seconds.', ({ expiresIn }) => expiresIn),
    created_at: link.time('When it was created.', ({ createdAt }) => createdAt),
    disabled_at: link.timeOrNull('When it was disabled.', ({ disabledAt }) => disabledAt),
  },
};

const TAG = 'links';
const ID = 'Slug of the link.';

async function one(context: Context, slug: string) {
  return { answer: recordJson(STATIC_LINK, await readStaticLink(context, slug), context) };
}

/** Routes for reading. */
export const LINK_READS: readonly RecordRead[] = [
  {
    path: '/v2/static_links',
    ...{ tag: TAG, operation: 'list_static_links', schema: listSchema(STATIC_LINK.name) },
    summary: `Lists the static links: open ones first, newest first, then those that were disabled last; at most ${inProse(STATIC_LINKS_MAX)}`,
    respond: async (context, _request, violations) => {
      violations.refuse();
      const rows = await listStaticLinks(context);
      return { results: rows.map((row) => recordJson(STATIC_LINK, row, context)) };
    },
  },
  {
    path: '/v2/static_link/{id}',
    ...{ tag: TAG, operation: 'get_static_link', schema: oneSchema(STATIC_LINK.name), id: ID },
    summary: 'Reads a static link',
    respond: async (context, { id }, violations) => {
      violations.refuse();
      return (await one(context, id)).answer;
    },
  },
];

/** Routes for writing. */
export const LINK_WRITES: readonly RecordWrite[] = [
  {
    path: '/v2/static_link',
    ...{ tag: TAG, operation: 'create_static_link', schema: oneSchema(STATIC_LINK.name) },
    action: 'link.create',
    summary: `Creates a static link with a fixed or an open amount. An account can have ${inProse(STATIC_LINKS_MAX)} that are not disabled`,
    status: 201,
    shape: {
      name: text('Purpose, as payers see it.', {
        ...{ example: 'Coffee', minLength: 1, maxLength: REFERENCE_LENGTH_MAX },
      }),
      currency_exit_received_code: text(CHECKOUT_MEMBERS.currency.doc, { example: 'USDT_TRX' }),
      amount_payment: amount('BRL that the customer pays. Default: the customer enters it.', '25.00'),
      ...shapeOf(SESSION_MEMBERS),
    },
    needs: { all: ['name', 'currency_exit_received_code'] },
    perform: async (context, attempt, { body, checks }) => {
      const input = {
        name: body.get('name'),
        currency: body.get('currency_exit_received_code'),
        amount: body.get('amount_payment'),
        externalCode: body.get('external_code'),
        returnUrl: body.get('return_url'),
        webhook: body.get('webhook'),
        expiresIn: body.get('expires_in'),
      };
      return one(context, attempt.made ?? (await createStaticLink(context, input, checks, attempt)));
    },
  },
  {
    path: '/v2/static_link/{id}/disable',
    ...{ tag: TAG, operation: 'disable_static_link', schema: oneSchema(STATIC_LINK.name), id: ID },
    action: 'link.disable',
    summary: 'Disables a static link: it opens no more sessions. Open ones go on',
    perform: async (context, _attempt, { id, checks }) => {
      checks.refuse();
      await disableStaticLink(context, id);
      return one(context, id);
    },
  },
];
