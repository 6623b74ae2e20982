/** Check of `doctor` on the running process that has the same settings, by its metrics. */
import { readAnswer } from '../base/input/read-answer.ts';
import type { Config } from '../config.ts';
import { examineProcess, type ProcessFigures } from '../resolvers/rails/process-checks.ts';
import type { Check } from '../resolvers/services/rail-part.ts';

const CLOCK = 'crossramp_clock_ahead_seconds';
const LAG = 'crossramp_nodejs_eventloop_lag_p99_seconds';
/** Time limit of an answer, which contains figures of the database. Unit: ms. */
const ANSWER_MAX_MS = 10_000;
const BYTES_MAX = 8_000_000;
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Checks clock and event loop of the process at METRICS_PORT. */
export async function examineRunning(at: Config['metrics']): Promise<readonly Check[]> {
  if (!at || at.port === 0) return [unread(true, 'not visible without the METRICS_PORT that it has')];
  const host = LOOPBACK[at.host] ?? at.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${at.port}/metrics`;
  try {
    return examineProcess(figuresIn(await textAt(url)));
  } catch (error) {
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    if (name === 'TimeoutError')
      return [
        unread(false, `no answer of ${url} within ${ANSWER_MAX_MS / 1_000} s: it is too busy, or hangs`),
      ];
    // Before a start, nothing answers there.
    if (cause?.code === 'ECONNREFUSED') return [unread(true, `none runs with ${url}`)];
    return [unread(false, `its clock and event loop cannot be read from ${url}`)];
  }
}

function unread(ok: boolean, detail: string): Check {
  return { check: 'process', ok, detail };
}

async function textAt(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MAX_MS) });
  return readAnswer(answer, BYTES_MAX, () => new Error('the answer is too long'));
}

/** @returns the worst of the process and its cells. @throws {Error} where the text lacks a figure. */
function figuresIn(text: string): ProcessFigures {
  const lines = text.split('\n');
  const worst = (name: string) => {
    const values = lines
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    if (values.length === 0) throw new Error(`no sample of ${name}`);
    return values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most));
  };
  return { clockAhead: worst(CLOCK), eventLoopLag: worst(LAG) };
}
