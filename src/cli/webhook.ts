/** `crossramp webhook`: manages the webhook endpoints of an account. */
import { Command } from 'commander';
import { invalidParameters } from '../base/errors.ts';
import { isoMillis, parseInstant } from '../base/instant.ts';
import { CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import type { Context, Services } from '../resolvers/services/context.ts';
import {
  createEndpoint,
  listWebhookSecrets,
  OVERLAP_SECONDS,
  pauseWebhookEndpoint,
  resumeWebhookEndpoint,
  rotateWebhookSecret,
} from '../resolvers/webhooks/manage-webhooks.ts';
import { recoverWebhookEndpoint, redeliverWebhooks } from '../resolvers/webhooks/redeliver-webhooks.ts';
import { accountNamed, answer, EVENTS_HELP, jsonOption } from './output.ts';
import { asPlatform, operatorContext, withServices } from './with-store.ts';

interface Options {
  readonly account: string;
  readonly json?: boolean;
}

/** The command `webhook`. */
export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('Manages the webhook endpoints of an account.');
  define(webhook, 'list', 'Lists the endpoints with their state.').action(list);
  define(webhook, 'create', 'Adds an endpoint and shows its secret.')
    .requiredOption('--url <url>', 'https; in a sandbox also http to this machine')
    .option('--template <name>', 'only transactions of this template')
    .option('--events <names>', EVENTS_HELP)
    .action(create);
  define(webhook, 'pause <endpoint>', 'Holds deliveries back until the endpoint is resumed.').action(
    onEndpoint(pauseWebhookEndpoint, 'paused'),
  );
  define(webhook, 'resume <endpoint>', 'Sends what was held back; enables a disabled endpoint again.').action(
    onEndpoint(resumeWebhookEndpoint, 'enabled'),
  );
  define(
    webhook,
    'recover <endpoint>',
    'Enables a disabled endpoint and sends what it missed, at most 10,000 events per call: repeat for the rest.',
  ).action(onEndpoint(recoverWebhookEndpoint, 'recovering'));
  define(
    webhook,
    'redeliver',
    'Sends again what was not delivered, the oldest 10,000 per call; --since narrows it.',
  )
    .option('--endpoint <id>', 'only to this endpoint')
    .option('--since <instant>', 'only events since this time, such as 2026-05-01T12:00:00Z')
    .option('--count', 'only count them, send nothing')
    .action(redeliver);
  define(
    webhook,
    'secret [endpoint]',
    'Shows the signing secrets of an endpoint; without one, those shared by the URLs of transactions.',
  )
    .option('--rotate', 'create a new secret; the old one stays valid for a day')
    .action(secret);
  return webhook;
}

function define(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .addOption(jsonOption());
}

/** The operator acts for the account, with every scope. */
export function asOperator<Result>(
  options: { readonly account: string; readonly live?: boolean },
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  if (options.live) return asPlatform(options, work);
  return withServices(async (services: Services) => {
    const accountId = await accountNamed(services.database, options.account);
    return work(await operatorContext(services, accountId));
  });
}

async function list(options: Options): Promise<void> {
  const rows = await asOperator(options, ({ database, caller }) =>
    database.prisma.webhookEndpoint.findMany({
      where: { accountId: caller.accountId, removedAt: null },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { id: true, url: true, kind: true, template: true, state: true, consecutiveFailures: true },
    }),
  );
  const lines = rows.map((row) => `${row.id}  ${row.state}  ${row.template ?? row.kind}  ${row.url}`);
  answer(options, rows, lines.join('\n') || 'no endpoints');
}

async function create(options: Options & { url: string; template?: string; events?: string }): Promise<void> {
  const made = await asOperator(options, async (context) => {
    const names = context.registry.templates.map(({ name }) => name);
    if (options.template !== undefined && !names.includes(options.template))
      throw invalidParameters([{ parameter: '--template', message: `must be one of ${names.join(', ')}` }]);
    const checks = checksOf(context);
    const input = {
      url: { name: 'url', value: options.url },
      template: options.template,
      ...(options.events && {
        eventNames: { name: 'events', values: options.events.split(',').map((each) => each.trim()) },
      }),
    };
    const id = await createEndpoint(context, input, checks, 'url');
    const [present] = await listWebhookSecrets(context, id);
    return { id, secret: present?.secret ?? '' };
  });
  answer(options, made, `${made.id}\nsecret ${made.secret}`);
}

function onEndpoint(act: (context: Context, id: string) => Promise<unknown>, state: string) {
  return async (id: string, options: Options): Promise<void> => {
    await asOperator(options, (context) => act(context, id));
    answer(options, { id, state }, `${id} ${state}`);
  };
}

async function redeliver(
  options: Options & { endpoint?: string; since?: string; count?: boolean },
): Promise<void> {
  const since = options.since === undefined ? undefined : parseInstant(options.since);
  if (options.since !== undefined && !since)
    throw invalidParameters([
      { parameter: '--since', message: 'must be an instant such as 2026-05-01T12:00:00Z' },
    ]);
  const { matched, redelivered } = await asOperator(options, (context) =>
    redeliverWebhooks(
      context,
      { endpointId: options.endpoint, since },
      new CreationChecks({ allowsLoopback: true }),
      { isDryRun: options.count === true },
    ),
  );
  const result = { matched: Number(matched), redelivered: Number(redelivered) };
  answer(options, result, `${result.matched} found, ${result.redelivered} sent again`);
}

async function secret(endpoint: string | undefined, options: Options & { rotate?: boolean }): Promise<void> {
  const secrets = await asOperator(options, (context) =>
    options.rotate
      ? rotateWebhookSecret(context, endpoint, { name: 'overlap', value: OVERLAP_SECONDS.default })
      : listWebhookSecrets(context, endpoint),
  );
  const shown = secrets.map(({ secret: text, validUntil }) => ({
    secret: text,
    validUntil: validUntil && isoMillis(validUntil),
  }));
  const lines = shown.map((each) => `${each.secret}  ${each.validUntil ?? 'present'}`);
  answer(options, shown, lines.join('\n') || 'no secrets: no transaction with a webhook of its own yet');
}
