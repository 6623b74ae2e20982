/** `crossramp rail-event list|retry|close`. */
import { Command, Option } from 'commander';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { closeRailEventManually, retryRailEvent } from '../resolvers/inbound/decide-rail-event.ts';
import { listRailEvents } from '../resolvers/inbound/list-rail-events.ts';
import { maskRailEvent } from '../resolvers/inbound/mask-rail-event.ts';
import {
  type ListedRailEvent,
  RAIL_EVENT_STATES,
  type RailEventState,
} from '../store/engine/rail-event-list.ts';
import type { AnyOutcome } from '../store/engine/rail-events.ts';
import { lists, uses } from './command.ts';
import { revealOption, withMode } from './output.ts';

interface Options {
  readonly state?: RailEventState;
  readonly reveal?: boolean;
}

const LIMIT = 100;
const SLICE = { limit: LIMIT, below: null, above: null, isBackward: false };
/** Outcome of rail events; the text follows their id. */
const OUTCOMES: Readonly<Record<AnyOutcome, string>> = {
  step: 'was accepted by its transaction',
  suspense: 'is booked in suspense',
  noted: 'is noted: nothing had to be done',
  pending: 'could not be settled, and is tried again',
  failed: 'could not be settled, and is not tried again',
  closed: 'is closed',
};

/** Rail events that need an operator. */
export function railEventCommand(): Command {
  const event = new Command('rail-event').description(
    'Lists rail events that are not settled or need a decision, and retries or closes them.',
  );
  const list = event
    .command('list')
    .description(
      `Lists the newest ${LIMIT} unsettled rail events and fraud reports of sandbox or live accounts.`,
    )
    .addOption(
      new Option('--state <state>', 'only rail events in this state').choices(Object.keys(RAIL_EVENT_STATES)),
    );
  lists(withMode(list).addOption(revealOption()), {
    run: async (context, { state }: Options) => (await listRailEvents(context, state ?? null, SLICE)).rows,
    row: shown,
    columns: {
      ...{ ID: 'id', SEEN: 'seenAt', KIND: 'kind', STATE: 'state', TRIES: 'tries', 'NEXT TRY': 'nextTryAt' },
      ...{ ACCOUNT: 'account', TRANSACTION: 'end2end', 'LAST ERROR': 'lastError' },
    },
    right: ['TRIES'],
    none: 'nothing',
  });
  const retry = event
    .command('retry')
    .description('Processes an unsettled rail event again now.')
    .argument('<id>', 'id of the rail event');
  uses(withMode(retry), {
    run: (context, _options: object, id: string) => retryRailEvent(context, id),
    json: (outcome, _options, id) => ({ id, outcome }),
    text: (outcome, _options, id) => `rail event ${id} ${OUTCOMES[outcome]}`,
  });
  const close = event
    .command('close')
    .description(
      'Closes a rail event that needs no further action: it is not tried again. An event about money that arrived cannot be closed.',
    )
    .argument('<id>', 'id of the rail event')
    .requiredOption('--reason <text>', 'why it needs no further action; 1 to 200 characters');
  uses(withMode(close).addOption(revealOption()), {
    run: (context, { reason }: Options & { reason: string }, id: string) =>
      closeRailEventManually(context, id, { name: '--reason', value: reason }, checksOf(context)),
    json: shown,
    text: (_closed, _options, id) => `rail event ${id} is closed`,
  });
  return event;
}

function shown(row: ListedRailEvent, { reveal }: Options) {
  const { id, accountId, dueAt, seenAt, attempts, body, closedAt, ...rest } = row;
  return {
    id: String(id),
    ...rest,
    tries: attempts,
    account: accountId === null ? null : String(accountId),
    nextTryAt: dueAt && isoMillis(dueAt),
    seenAt: isoMillis(seenAt),
    closedAt: closedAt && isoMillis(closedAt),
    body: reveal ? body : maskRailEvent(body),
  };
}
