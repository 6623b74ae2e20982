/** `crossramp webhook`: manages the webhook endpoints of an account. */
import { Command, Option } from 'commander';
import { invalidParameters } from '../base/errors/errors.ts';
import { isoMillis, parseInstant } from '../base/time/instant.ts';
import { CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import type { Context } from '../resolvers/services/context.ts';
import {
  createEndpoint,
  endpointOf,
  listWebhookSecrets,
  OVERLAP_SECONDS,
  pauseWebhookEndpoint,
  resumeWebhookEndpoint,
  rotateWebhookSecret,
} from '../resolvers/webhooks/manage-webhooks.ts';
import { recoverWebhookEndpoint, redeliverWebhooks } from '../resolvers/webhooks/redeliver-webhooks.ts';
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type ListedDelivery,
  listDeliveries,
} from '../store/webhooks/delivery-list.ts';
import { listEndpoints } from '../store/webhooks/webhooks.ts';
import { limitOption, lists, uses } from './command.ts';
import { EVENTS_HELP } from './output.ts';

interface Redelivery {
  readonly endpoint?: string;
  readonly since?: string;
  readonly count?: boolean;
}

interface Choice {
  readonly endpoint?: string;
  readonly state?: Exclude<DeliveryFilter['state'], null>;
  readonly limit: number;
}

/** The command `webhook`. */
export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('Manages the webhook endpoints of an account.');
  const define = (name: string, description: string) =>
    webhook
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'id of the account, or "sandbox"');
  uses(define('list', 'Lists the endpoints with their state.'), {
    run: ({ database, caller }) => listEndpoints(database, caller.accountId),
    text: (rows) =>
      rows.map((row) => `${row.id}  ${row.state}  ${row.template ?? row.kind}  ${row.url}`).join('\n') ||
      'no endpoints',
  });
  defineDeliveries(define('deliveries', 'Lists deliveries, newest first, with the last answer to each.'));
  const create = define('create', 'Adds an endpoint and shows its secret.')
    .requiredOption('--url <url>', 'https; in a sandbox also http to this machine')
    .option('--template <name>', 'only transactions of this template')
    .option('--events <names>', EVENTS_HELP);
  uses(create, { run: addEndpoint, text: ({ id, secret }) => `${id}\nsecret ${secret}` });
  const make = (name: string, description: string, set: typeof pauseWebhookEndpoint, state: string) =>
    uses(define(`${name} <endpoint>`, description), {
      run: (context, _options: object, id: string) => set(context, id),
      json: (_done, _options, id) => ({ id, state }),
      text: (_done, _options, id) => `${id} ${state}`,
    });
  make('pause', 'Holds deliveries back until the endpoint is resumed.', pauseWebhookEndpoint, 'paused');
  make(
    'resume',
    'Sends what was held back; enables a disabled endpoint again.',
    resumeWebhookEndpoint,
    'enabled',
  );
  make(
    'recover',
    'Enables a disabled endpoint and sends what it missed, at most 10,000 events per call: repeat for the rest.',
    async (context, id) => void (await recoverWebhookEndpoint(context, id)),
    'recovering',
  );
  const redeliver = define(
    'redeliver',
    'Sends again what was not delivered, the oldest 10,000 per call; --since narrows it.',
  )
    .option('--endpoint <id>', 'only to this endpoint')
    .option('--since <instant>', 'only events since this time, such as 2026-05-01T12:00:00Z')
    .option('--count', 'only count them, send nothing');
  uses(redeliver, {
    run: deliverAgain,
    text: ({ matched, redelivered }) => `${matched} found, ${redelivered} sent again`,
  });
  const secret = define(
    'secret [endpoint]',
    'Shows the signing secrets of an endpoint; without one, those shared by the URLs of transactions.',
  ).option('--rotate', 'create a new secret; the old one stays valid for a day');
  uses(secret, {
    run: async (context, { rotate }: { rotate?: boolean }, endpoint?: string) => {
      const overlap = { name: 'overlap', value: OVERLAP_SECONDS.default };
      const secrets = await (rotate
        ? rotateWebhookSecret(context, endpoint, overlap)
        : listWebhookSecrets(context, endpoint));
      return secrets.map(({ secret: text, validUntil }) => ({
        secret: text,
        validUntil: validUntil && isoMillis(validUntil),
      }));
    },
    text: (secrets) =>
      secrets.map(({ secret: text, validUntil }) => `${text}  ${validUntil ?? 'present'}`).join('\n'),
  });
  return webhook;
}

function defineDeliveries(command: Command): void {
  const options = command
    .option('--endpoint <id>', 'only to this endpoint')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .addOption(limitOption('deliveries', 1_000, 20));
  lists<Choice, ListedDelivery, ReturnType<typeof shownDelivery>>(options, {
    run: async (context, { endpoint, state, limit }: Choice) => {
      const { database, caller } = context;
      if (endpoint !== undefined) await endpointOf(context, endpoint);
      const filter = {
        endpointId: endpoint ?? null,
        state: state ?? null,
        before: null,
        scanMax: null,
        limit,
      };
      return listDeliveries(database, { accountId: caller.accountId, ...filter });
    },
    row: shownDelivery,
    columns: {
      ...{ ID: 'id', EVENT: 'event', TRANSACTION: 'transaction', ENDPOINT: 'endpoint', STATE: 'state' },
      ...{ ATTEMPTS: 'attempts', 'NEXT OR END': ({ due, ended }) => due ?? ended ?? '' },
      'LAST ANSWER': ({ status, error }) => error ?? String(status ?? ''),
    },
    right: ['ATTEMPTS'],
    none: 'no deliveries',
  });
}

function shownDelivery({ id, endpointId, event, end2end, dueAt, endedAt, ...rest }: ListedDelivery) {
  const { state, attempts, status, error } = rest;
  return {
    ...{ id: String(id), event, transaction: end2end, endpoint: endpointId, state, attempts },
    ...{ due: dueAt && isoMillis(dueAt), ended: endedAt && isoMillis(endedAt), status, error },
  };
}

async function addEndpoint(
  context: Context,
  { url, template, events }: { url: string; template?: string; events?: string },
) {
  const names = context.registry.templates.map(({ name }) => name);
  if (template !== undefined && !names.includes(template))
    throw invalidParameters([{ parameter: '--template', message: `must be one of ${names.join(', ')}` }]);
  const values = events?.split(',').map((each) => each.trim());
  const input = {
    url: { name: 'url', value: url },
    template,
    ...(values && { eventNames: { name: 'events', values } }),
  };
  const id = await createEndpoint(context, input, checksOf(context), 'url');
  const [present] = await listWebhookSecrets(context, id);
  return { id, secret: present?.secret ?? '' };
}

async function deliverAgain(context: Context, { endpoint: endpointId, since: from, count }: Redelivery) {
  const since = from === undefined ? undefined : parseInstant(from);
  if (from !== undefined && !since)
    throw invalidParameters([
      { parameter: '--since', message: 'must be an instant such as 2026-05-01T12:00:00Z' },
    ]);
  const checks = new CreationChecks({ allowsLoopback: true });
  const done = await redeliverWebhooks(context, { endpointId, since }, checks, { isDryRun: count === true });
  return { matched: Number(done.matched), redelivered: Number(done.redelivered) };
}
