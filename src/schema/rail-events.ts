/** Rail events that need an operator: `Query.railNews`, and the mutations that decide about it. */

import { checksOf } from '../resolvers/checks/check-creation.ts';
import {
  closeRailEventManually,
  findOwnRailEvent,
  retryRailEvent,
} from '../resolvers/inbound/decide-rail-event.ts';
import { listRailEvents, readRailEvent } from '../resolvers/inbound/list-rail-events.ts';
import {
  type ListedRailEvent,
  RAIL_EVENT_STATES,
  type RailEventState,
} from '../store/engine/rail-event-list.ts';
import type { AnyOutcome } from '../store/engine/rail-events.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';

const OUTCOMES: Readonly<Record<AnyOutcome, string>> = {
  step: 'Its transaction accepted it.',
  suspense: 'It is money that no transaction took: it is booked in suspense.',
  noted: 'It is stored; nothing had to be done.',
  pending: 'It could not be settled, and is tried again.',
  failed: 'Its transaction never accepted it, and it is not tried any more.',
  closed: 'Somebody closed it by hand.',
};
const ID = { required: true, description: 'Identifier of the news.' } as const;

/** Defines `RailNews`, `Query.railNews`, `retryRailNews` and `closeRailNews`. */
export function defineRailEvents(builder: Builder): void {
  const state = builder.enumType('RailNewsState', {
    description: 'Reason for which a report of a rail needs a person.',
    values: describedValues(RAIL_EVENT_STATES),
  });
  const event = defineRailEvent(builder, state);
  defineDecisions(builder, event);
  const connection = exactConnection(builder, event, {
    name: 'RailNews',
    page: 'A page of the news of rails.',
    edge: 'News of a rail and its cursor.',
    total: 'Number of all news that matches, not only of this page. Exact.',
  });
  builder.queryField('railNews', (t) =>
    t.field({
      type: connection,
      description:
        'News of rails that needs a look, newest first: news that is not settled, and reports of fraud; with `state: CLOSED`, news that was closed by hand. Needs the scope `platform:rails` or `platform:risk`.',
      args: {
        state: t.arg({
          type: state,
          description: 'Only news in this state; default: all but what was closed.',
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { state: wanted, ...args }, context) =>
        (await idConnection(args, (slice) => listRailEvents(context, wanted ?? null, slice))) as never,
    }),
  );
}

/** Unsettled events are the platform's to decide. */
function defineDecisions(builder: Builder, event: ReturnType<typeof defineRailEvent>): void {
  const outcome = builder.enumType('RailNewsOutcome', {
    description: 'State of news of a rail.',
    values: describedValues(OUTCOMES),
  });
  defineMutation(builder, 'retryRailNews', {
    result: ['outcome', outcome],
    description:
      "Processes a rail's message again now, and gives the outcome. If that fails, the counter of tries starts again. Error `STEP_CONFLICT` if it is settled or closed. Needs the scope `platform:risk`.",
    input: (t) => ({ newsId: t.string(ID), idempotencyKey: t.string(KEY_ARGUMENT) }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'retryRailNews', action: 'news.retry', args } as const;
      const { stored } = await performOnce(context, keyed, async (attempt) => ({
        outcome: await retryRailEvent(context, args.newsId, attempt),
      }));
      return stored.outcome;
    },
  });
  defineMutation(builder, 'closeRailNews', {
    result: ['railNews', event],
    description:
      "Closes a rail's message that needs no action; it is not processed again, even if repeated. Error `STEP_CONFLICT` if it is settled or closed, or about money that arrived. Needs the scope `platform:risk`.",
    input: (t) => ({
      newsId: t.string(ID),
      reason: t.string({
        required: true,
        description: 'Reason for which it needs no further action, 1 to 200 characters.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'closeRailNews', action: 'news.close', args } as const;
      const reason = { name: 'input.reason', value: args.reason };
      const { stored } = await performOnce(context, keyed, async (attempt) => {
        const closed = await closeRailEventManually(context, args.newsId, reason, checksOf(context), attempt);
        return { id: String(closed.id) };
      });
      return findOwnRailEvent(context, stored.id);
    },
  });
}

function nodeOfRailEvent(builder: Builder) {
  return nodeType<ListedRailEvent>(builder, 'RailNews', {
    rawId: ({ id }) => String(id),
    read: readRailEvent,
  });
}

function defineRailEvent(
  builder: Builder,
  state: ReturnType<typeof builder.enumType<'RailNewsState', Record<string, { value: RailEventState }>>>,
) {
  return builder.objectRef<ListedRailEvent>('RailNews').implement({
    interfaces: [nodeOfRailEvent(builder)],
    description: 'A report of a rail.',
    fields: (t) => ({
      newsId: t.string({ description: 'Identifier of the news.', resolve: ({ id }) => String(id) }),
      rail: t.exposeString('rail', {
        description: 'Rail that reported it: `pix`, or `chain` for a network.',
      }),
      kind: t.exposeString('kind', {
        description: 'Kind of the news, such as `payout_ended`; docs/ledger.md lists the kinds.',
      }),
      key: t.exposeString('key', { description: 'The rail’s own id of the event.' }),
      state: t.field({ type: state, description: 'Reason of its review.', resolve: (row) => row.state }),
      tries: t.int({
        description: 'Number of tries that did not settle it.',
        resolve: ({ attempts }) => attempts,
      }),
      lastError: t.exposeString('lastError', {
        nullable: true,
        description: 'Reason for which the last attempt failed; null if none failed.',
      }),
      nextTryAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it is tried again; null when it is not.',
        resolve: ({ dueAt }) => dueAt && isoOf(dueAt),
      }),
      seenAt: t.field({
        type: 'DateTime',
        description: 'When the rail first reported it.',
        resolve: ({ seenAt }) => isoOf(seenAt),
      }),
      account: t.string({
        nullable: true,
        description: 'Identifier of the account that it is for; null where that is not known.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Transaction that it is for; null where that is not known.',
      }),
      closeReason: t.exposeString('closeReason', {
        nullable: true,
        description: 'Reason for which a person closed it; null unless one did.',
      }),
      closedBy: t.exposeString('closedBy', {
        nullable: true,
        description: 'Closer: id of a key or a person, or name of an operator; null unless it was closed.',
      }),
      closedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was closed; null unless it was.',
        resolve: ({ closedAt }) => closedAt && isoOf(closedAt),
      }),
      news: t.field({
        type: 'JSONObject',
        description: 'Report of the rail. With `platform:risk` the tax id of a payer is whole.',
        resolve: ({ body }) => body as object,
      }),
    }),
  });
}
