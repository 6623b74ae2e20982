/** Rail events that need an operator: `Query.railEvents`, and the mutations that decide about them. */

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
import { actorNameField } from './actor-name.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const OUTCOMES: Readonly<Record<AnyOutcome, string>> = {
  step: 'Its transaction accepted it.',
  suspense: 'It is money that no transaction accepted, and is booked in suspense.',
  noted: 'It is stored; nothing had to be done.',
  pending: 'It could not be settled, and is tried again.',
  failed: 'Its transaction never accepted it, and it is not tried any more.',
  closed: 'A person closed it.',
};
const ID = { required: true, description: 'Identifier of the rail event.' } as const;

/** Defines `RailEvent`, `Query.railEvents`, `retryRailEvent` and `closeRailEvent`. */
export function defineRailEvents(builder: Builder): void {
  const state = builder.enumType('RailEventState', {
    description: 'Reason for which a rail event needs a person.',
    values: describedValues(RAIL_EVENT_STATES),
  });
  const event = defineRailEvent(builder, state);
  defineDecisions(builder, event);
  const connection = exactConnection(builder, event, {
    name: 'RailEvent',
    page: 'A page of rail events.',
    edge: 'A rail event and its cursor.',
    total: 'Number of all rail events that match, not only of this page. Exact.',
  });
  builder.queryField('railEvents', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description:
        'Rail events that need an operator, newest first: events that are not settled, and reports of fraud; with `state: CLOSED`, events that a person closed. Needs the scope `platform:rails` or `platform:risk`.',
      args: {
        state: t.arg({
          type: state,
          description: 'Only events in this state; default: all except closed ones.',
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { state: wanted, ...args }, context) =>
        (await idConnection(args, (slice) => listRailEvents(context, wanted ?? null, slice))) as never,
    }),
  );
}

/** The platform decides about unsettled events. */
function defineDecisions(builder: Builder, event: ReturnType<typeof defineRailEvent>): void {
  const outcome = builder.enumType('RailEventOutcome', {
    description: 'Outcome of a rail event.',
    values: describedValues(OUTCOMES),
  });
  defineMutation(builder, 'retryRailEvent', {
    result: ['outcome', outcome],
    description:
      'Processes a rail event again now, and returns the outcome. If that fails, the counter of attempts starts again. Error `STEP_CONFLICT` if it is settled or closed. Needs the scope `platform:risk`.',
    input: (t) => ({ railEventId: t.string(ID), idempotencyKey: t.string(KEY_ARGUMENT) }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'retryRailEvent', action: 'rail_event.retry', args } as const;
      const { stored } = await performOnce(context, keyed, async (attempt) => ({
        outcome: await retryRailEvent(context, args.railEventId, attempt),
      }));
      return stored.outcome;
    },
  });
  defineMutation(builder, 'closeRailEvent', {
    result: ['railEvent', event],
    description:
      'Closes a rail event that needs no action; it is not processed again, even if the rail repeats it. Error `STEP_CONFLICT` if it is settled or closed, or about money that arrived. Needs the scope `platform:risk`.',
    input: (t) => ({
      railEventId: t.string(ID),
      reason: t.string({
        required: true,
        description: 'Reason for which it needs no further action, 1 to 200 characters.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'closeRailEvent', action: 'rail_event.close', args } as const;
      const reason = { name: 'input.reason', value: args.reason };
      const { stored } = await performOnce(context, keyed, async (attempt) => {
        const closed = await closeRailEventManually(
          context,
          args.railEventId,
          reason,
          checksOf(context),
          attempt,
        );
        return { id: String(closed.id) };
      });
      return findOwnRailEvent(context, stored.id);
    },
  });
}

function nodeOfRailEvent(builder: Builder) {
  return nodeType<ListedRailEvent>(builder, 'RailEvent', {
    rawId: ({ id }) => String(id),
    read: readRailEvent,
  });
}

function defineRailEvent(
  builder: Builder,
  state: ReturnType<typeof builder.enumType<'RailEventState', Record<string, { value: RailEventState }>>>,
) {
  return builder.objectRef<ListedRailEvent>('RailEvent').implement({
    interfaces: [nodeOfRailEvent(builder)],
    description: 'A report of a rail, such as a payment that arrived.',
    fields: (t) => ({
      railEventId: t.string({
        description: 'Identifier of the rail event.',
        resolve: ({ id }) => String(id),
      }),
      rail: t.exposeString('rail', { description: 'Reporting rail: `pix`, or `chain` for a network.' }),
      kind: t.exposeString('kind', {
        description: 'Kind of the event, such as `payout_ended`; docs/ledger.md lists the kinds.',
      }),
      key: t.exposeString('key', { description: 'The rail’s own id of the event.' }),
      state: t.field({ type: state, description: 'Reason of its review.', resolve: (row) => row.state }),
      tries: t.int({
        description: 'Number of attempts that did not settle it.',
        resolve: ({ attempts }) => attempts,
      }),
      lastError: t.exposeString('lastError', {
        nullable: true,
        description: 'Reason for which the last attempt failed; null if none failed.',
      }),
      nextTryAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it is retried; null if it is not.',
        resolve: ({ dueAt }) => dueAt && isoOf(dueAt),
      }),
      seenAt: t.field({
        type: 'DateTime',
        description: 'When the rail first reported it.',
        resolve: ({ seenAt }) => isoOf(seenAt),
      }),
      account: t.string({
        nullable: true,
        description: 'Identifier of its account; null if unknown.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Its transaction; null if unknown.',
      }),
      closeReason: t.exposeString('closeReason', {
        nullable: true,
        description: 'Reason of the person who closed it; null otherwise.',
      }),
      closedBy: t.exposeString('closedBy', {
        nullable: true,
        description: 'Closer: id of a key or a person, or name of an operator; null unless it was closed.',
      }),
      closedByName: t.field(actorNameField<ListedRailEvent>(({ closedBy }) => closedBy)),
      closedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was closed; null unless it was.',
        resolve: ({ closedAt }) => closedAt && isoOf(closedAt),
      }),
      body: t.field({
        type: 'JSONObject',
        description: 'Report of the rail. With `platform:risk` the tax id of a payer is whole.',
        resolve: ({ body }) => body as object,
      }),
    }),
  });
}
