/** `crossramp events tail` and `crossramp listen`: the event log on a developer's machine. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { makeFolder } from '../base/process/make-folder.ts';
import { isNamedBy } from '../events/event-name.ts';
import { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { checkEventNames } from '../resolvers/checks/check-event-names.ts';
import { REGISTRY } from '../templates/index.ts';
import { newSecret, webhookHeaders } from '../webhooks/sign.ts';
import { type Api, apiNamed, type FollowedEvent, followEvents } from './follow-events.ts';
import { followRedeliveries } from './follow-redeliveries.ts';
import { EVENTS_HELP, jsonOption, writePart } from './output.ts';
import { homeFolder } from './with-store.ts';

interface Options {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly after?: string;
  readonly events?: readonly string[];
  readonly json?: boolean;
}

/** The cursors of listeners, kept between starts. */
interface Saved {
  readonly secret: string;
  /** Key: base URL and local URL. */
  readonly cursors: Readonly<Record<string, string>>;
}

const RETRY_MS = 1_000;

/** Prints events as they happen. */
export function eventsCommand(): Command {
  const events = new Command('events').description(
    'Reads the event log of an account, over the API of the gateway.',
  );
  withApi(events.command('tail'))
    .description('Prints events as they happen, one per line.')
    .option('--after <cursor>', 'start after this cursor; by default, with the next event')
    .action(async (options: Options) => {
      const isWanted = filterOf(options.events);
      for await (const event of await followEvents(apiNamed(options), options.after)) {
        if (isWanted(event.name)) await print(options, event);
      }
    });
  return events;
}

/** Forwards events to a server on this machine, signed as webhooks are. */
export function listenCommand(): Command {
  return withApi(new Command('listen'))
    .description(
      'Forwards events to a server on this machine, signed like webhooks. It sends each event until the server accepts it. After a restart it continues where it stopped, or from the oldest event where the log no longer has that place.',
    )
    .requiredOption(
      '--forward-to <url>',
      'where to send them, such as http://localhost:3000/hook',
      parseHttpUrl,
    )
    .option(
      '--after <cursor>',
      'start after this cursor; by default, where it stopped, at first with the next event',
    )
    .action(async (options: Options & { forwardTo: string }) => {
      await listen(apiNamed(options), options);
    });
}

function withApi(command: Command): Command {
  return command
    .option('--base-url <url>', 'URL of the gateway; by default, the one in sandbox.json')
    .option('--key <key>', 'API key; by default, the one in sandbox.json')
    .option('--events <names>', EVENTS_HELP, parseEventNames)
    .addOption(jsonOption('print each event as one line of JSON'));
}

async function listen(api: Api, options: Options & { forwardTo: string }): Promise<void> {
  const saved = readSaved();
  const target = `${api.baseUrl} ${options.forwardTo}`;
  const log = await followEvents(api, options.after ?? saved.cursors[target]);
  const again = await followRedeliveries(api);
  // Printed when both starting points are fixed: all later events are forwarded.
  process.stderr.write(`signing secret: ${saved.secret}\nforwarding to ${options.forwardTo}\n`);
  const isWanted = filterOf(options.events);
  const pass = async (event: FollowedEvent) => {
    if (!isWanted(event.name)) return;
    await print(options, event, await forward(event, options.forwardTo, saved.secret));
  };
  const forwardLog = async () => {
    for await (const event of log) {
      await pass(event);
      writeSaved({ ...saved, cursors: { ...readSaved().cursors, [target]: event.cursor } });
    }
  };
  const forwardAgain = async () => {
    for await (const event of again) await pass(event);
  };
  await Promise.all([forwardLog(), forwardAgain()]);
}

/** Sends an event until the server accepts it. @returns the status of the successful answer. */
async function forward(event: FollowedEvent, url: string, secret: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const headers = webhookHeaders({
      id: webhookIdOf(event.cursor),
      at: new Date(),
      secrets: [secret],
      body: event.body,
      eventName: event.name,
      sequence: event.sequence,
      attempt,
    });
    const answer = await fetch(url, { method: 'POST', headers, body: event.body, redirect: 'manual' }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer && answer.status >= 200 && answer.status < 300) return answer.status;
    process.stderr.write(
      `${event.name}: ${answer ? `answered ${answer.status}` : 'not reached'}, trying again\n`,
    );
    await sleep(RETRY_MS);
  }
}

/** Value that is the same for every attempt and every listener. */
function webhookIdOf(cursor: string): string {
  const [, , seq] = Buffer.from(cursor, 'base64url').toString().split(':');
  return `evt_${seq}_${createHash('sha256').update(cursor).digest('hex').slice(0, 32)}`;
}

function print(options: Options, event: FollowedEvent, status?: number): Promise<void> {
  const { cursor, name, sequence, occurredAt, body } = event;
  const json = () =>
    `{${JSON.stringify({ cursor, name, sequence, occurredAt, status }).slice(1, -1)},"body":${body}}`;
  const text = () =>
    `${occurredAt}  ${name}  ${JSON.parse(body).end2end}${status === undefined ? '' : `  → ${status}`}`;
  return writePart(`${options.json ? json() : text()}\n`);
}

/** @returns a check whether an event name matches. */
function filterOf(patterns: readonly string[] | undefined): (name: string) => boolean {
  return (name) => patterns?.some((pattern) => isNamedBy(pattern, name)) ?? true;
}

function parseEventNames(text: string): readonly string[] {
  const checks = new CreationChecks({ allowsLoopback: false });
  const values = text.split(',').map((each) => each.trim());
  const names = checkEventNames({ name: '--events', values }, REGISTRY.templates, checks);
  checks.refuse();
  return names ?? [];
}

function parseHttpUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('Expected an http or https URL, such as http://localhost:3000/hook.');
  return text;
}

function savedPath(): string {
  return join(homeFolder(), 'listen.json');
}

function readSaved(): Saved {
  try {
    return JSON.parse(readFileSync(savedPath(), 'utf8'));
  } catch {
    const saved = { secret: newSecret(), cursors: {} };
    writeSaved(saved);
    return saved;
  }
}

/**
 * Writes a temporary file and renames it, so that a killed listener leaves a complete file. Each process has a file of its own,
 * because several may use one home folder.
 */
function writeSaved(saved: Saved): void {
  const path = savedPath();
  const own = `${path}.${process.pid}`;
  makeFolder(homeFolder());
  writeFileSync(own, JSON.stringify(saved), { mode: 0o600 });
  renameSync(own, path);
}
