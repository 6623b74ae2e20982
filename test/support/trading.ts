/** Merchants who order, pay and read all the time, by whichever gateway is up, as behind a load balancer; calls without success are made again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpfOf } from './load.ts';
import type { Running } from './process.ts';

/** How merchants trade. */
export interface Trade {
  /** Gateways that the balancer sends to now. */
  readonly gateways: () => readonly Running[];
  readonly key: string;
  readonly webhook?: string;
  /** So many trade at once. @default 3 */
  readonly merchants?: number;
}

/** Merchants at work. */
export interface Trading {
  /** Ends them. @returns the `end2end` of every payment that was acknowledged. */
  readonly stop: () => Promise<string[]>;
  readonly met: {
    calls: number;
    /** Answers other than success, with path, status and body. */
    readonly refused: string[];
    /** Calls without an answer. */
    lost: number;
    /** When a write last succeeded. Unit: ms, of `performance.now()`. */
    writtenAt: number;
  };
}

/** A merchant pauses so long between two orders. */
const PAUSE_MS = 100;
const AGAIN_MS = 250;
/** A call that has no success for so long is given up. */
const PATIENCE_MS = 120_000;
const ANSWER_MS = 30_000;
let runs = 0;

/** Starts them. */
export function startTrading({ gateways, key, webhook, merchants = 3 }: Trade): Trading {
  const met = { calls: 0, refused: [] as string[], lost: 0, writtenAt: 0 };
  const stopping = new AbortController();
  runs += 1;
  const run = runs;
  const once = async (path: string, idempotencyKey: string, body?: object): Promise<Response | undefined> => {
    met.calls += 1;
    const up = gateways();
    const gateway = up[met.calls % up.length] as Running;
    return fetch(gateway.baseUrl + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => undefined);
  };
  const call = async (path: string, idempotencyKey: string, body?: object): Promise<{ end2end: string }> => {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      const answer = await once(path, idempotencyKey, body);
      if (answer?.ok) {
        if (body) met.writtenAt = performance.now();
        return answer.json();
      }
      const text = await answer?.text();
      // Paid by a call whose answer was lost.
      if (text?.includes('STEP_CONFLICT')) return JSON.parse(text);
      if (answer) met.refused.push(`${path}: ${answer.status} ${text}`);
      else met.lost += 1;
      if (performance.now() > until) throw new Error(`no success of ${path}: ${met.refused.at(-1)}`);
      await sleep(AGAIN_MS);
    }
  };
  const trade = async (number: number): Promise<string[]> => {
    const acknowledged: string[] = [];
    for (let made = 0; !stopping.signal.aborted; made += 1) {
      const order = {
        ...{ amount_payment: 150, currency_exit_received_code: 'USDT_TRX', client_name: 'Ana' },
        // A customer who pays much has to be verified.
        ...{ client_tax_id: cpfOf(run * 1_000_000 + number * 100_000 + made), ...(webhook && { webhook }) },
      };
      const { end2end } = await call('/v2/onramp', `${run}-${number}-${made}`, order);
      acknowledged.push(end2end);
      await call('/v2/sandbox/trigger', `${run}-${number}-${made}-paid`, { scenario: 'pay', end2end });
      await call(`/v2/onramp/${end2end}`, '');
      await call('/v2/statement?account_type=available', '');
      await sleep(PAUSE_MS);
    }
    return acknowledged;
  };
  const trading = Promise.all(Array.from({ length: merchants }, (_, number) => trade(number)));
  // Reported to whoever stops them.
  trading.catch(() => {});
  return {
    met,
    stop: async () => {
      stopping.abort();
      return (await trading).flat();
    },
  };
}

/** Looks at payments again and again. @param query - runs SQL on their database. @throws where one does not move for 20 seconds. */
export async function untilPaid(
  query: (text: string, values: unknown[]) => Promise<{ rows: { step: string }[] }>,
  acknowledged: readonly string[],
): Promise<void> {
  // Times are told, losses are judged: a busy machine takes as long as it takes, while something moves.
  for (let before = ''; ; ) {
    const { rows } = await query(
      `select component || '/' || state as step, count(*)::int as count from transaction
        where end2end = any ($1) and outcome <> 'SUCCESS' group by 1 order by 1`,
      [acknowledged],
    );
    const now = JSON.stringify(rows);
    if (rows.length === 0) return;
    if (now === before) throw new Error(`payments that do not go on: ${now}`);
    before = now;
    await sleep(STILL_MS);
  }
}

const STILL_MS = 20_000;
