/**
 * Callbacks of screening providers. A callback with a valid signature makes the work that waits for its decision due
 * immediately. Only the answer to the query counts, so lost, repeated and late callbacks change no decision.
 *
 * A callback may overtake the answer "decides later": its job is still leased, and nothing waits yet. So a callback that finds nothing
 * looks again, until the job has been released; a process that ends meanwhile costs the job its pause.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from '../../base/input/read-body.ts';
import { signatureProblem } from '../../base/process/callback-signature.ts';
import { valueAt } from '../../base/text/json-path.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { hastenScreenerWaits } from '../../store/rails/screener-waits.ts';
import { undecidedAt } from './query-provider.ts';
import type { CallbackForm, HttpSettings } from './settings.ts';

/** Form of the gateway's references, which `referenceOf` makes. */
const REFERENCE = /^[0-9a-f]{32}$/;

/** Pauses before a callback that found nothing looks again; together the pause of a job. Unit: ms. */
const AGAIN_MS = [250, 250, 500, 1_000, 2_000, 4_000, 8_000];
/** Maximum number of callbacks that look again at a time. */
const AGAIN_MAX = 200;

interface Verdict {
  readonly status: number;
  readonly words: string;
}

/** @returns the handler of callbacks; the path below the rail is the name of the provider. */
export function answerCallbacks(
  providers: readonly HttpSettings[],
  tools: RailTools,
): (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void> {
  const { log } = tools;
  const hasten = hastener(tools);
  return async (request, response, path) => {
    const { status, words } = await answerCallback(providers, { ...tools, hasten }, request, path);
    if (status >= 400) log.warn({ status, reason: words }, 'a callback of a screening provider was refused');
    if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' }).end(words);
  };
}

async function answerCallback(
  providers: readonly HttpSettings[],
  { database, log, hasten }: RailTools & { hasten: (failure: string) => Promise<void> },
  request: IncomingMessage,
  path: string,
): Promise<Verdict> {
  const provider = providers.find(({ name, callback }) => name === path && callback !== undefined);
  if (!provider?.callback)
    return { status: 404, words: 'callbacks come to /screening/ and the name of the provider' };
  if (request.method !== 'POST') return { status: 405, words: 'a callback is a POST' };
  const body = await readBody(request);
  const problem = signatureProblem(provider.callback, request.headers, body, database.nowMs());
  if (problem !== undefined) return { status: 403, words: problem };
  const reference = referenceIn(provider.callback, body);
  if (reference === undefined)
    return { status: 400, words: 'the callback names no reference of the gateway' };
  try {
    await hasten(undecidedAt(provider.name, reference));
    return { status: 200, words: 'ok' };
  } catch (error) {
    log.error({ err: error }, 'a callback of a screening provider could not be stored');
    return { status: 503, words: 'not stored: send it again' };
  }
}

/** @returns a function that hastens the jobs with a failure; where there are none, again for a while after it has returned. */
function hastener({ database, clock, mode, log }: RailTools): (failure: string) => Promise<void> {
  const repeated = new Set<string>();
  const hasten = async (failure: string) =>
    hastenScreenerWaits(database, mode, failure, new Date(await clock.nowMs()));
  const repeat = async (failure: string) => {
    for (const pauseMs of AGAIN_MS) {
      await sleep(pauseMs, undefined, { ref: false });
      if ((await hasten(failure)) > 0) return;
    }
  };
  return async (failure) => {
    if ((await hasten(failure)) > 0 || repeated.has(failure) || repeated.size >= AGAIN_MAX) return;
    repeated.add(failure);
    void repeat(failure)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'a callback of a screening provider cannot look again'),
      )
      .finally(() => repeated.delete(failure));
  };
}

function referenceIn({ reference: path }: CallbackForm, body: Buffer): string | undefined {
  try {
    const reference = valueAt(JSON.parse(body.toString('utf8')) as unknown, path);
    return typeof reference === 'string' && REFERENCE.test(reference) ? reference : undefined;
  } catch {
    return undefined;
  }
}
