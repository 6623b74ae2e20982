/** Sends fuzz requests over a few kept connections, and judges every answer. */
import { Agent, request } from 'node:http';
import { ERRORS } from '../../src/base/errors/errors.ts';
import type { FuzzRequest } from './rest-requests.ts';

/** An answer, read whole. */
export interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** What came of a run. */
export interface FuzzCount {
  requests: number;
  readonly byStatus: Record<string, number>;
  /** How often the gateway said that it cannot answer now, with 503 or in an answer of GraphQL. */
  unavailable: number;
  /** What was found, with the request that led to it; at most a few. */
  readonly defects: string[];
}

/** Longer than anything that is asked for may take. */
const HANG_MS = 30_000;
const DEFECTS_MAX = 20;
/** A long run says how far it is. */
const PROGRESS_EVERY = 5_000;
const STREAM = 'text/event-stream';
const SHOWN = 1_500;
/** Codes of 503 that are published: nothing failed. They are counted apart. */
const UNAVAILABLE: readonly string[] = ['UNAVAILABLE', 'QUOTE_UNAVAILABLE'];
const SAYS_UNAVAILABLE = new RegExp(`"code":"(?:${UNAVAILABLE.join('|')})"`);

/** @returns what sends a request to the gateway at this URL. */
export function sender(baseUrl: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(baseUrl);
  const send = ({ method, target, headers, body, readsMs }: FuzzRequest): Promise<FuzzAnswer> =>
    new Promise((resolve, reject) => {
      const options = {
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: asSent(headers),
        timeout: HANG_MS,
      };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        const type = response.headers['content-type'] ?? '';
        const tell = () =>
          resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() });
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', tell);
        if (readsMs === undefined || !type.startsWith(STREAM)) return;
        // Nobody ends a stream but its client, who goes away.
        setTimeout(() => {
          tell();
          response.removeListener('error', reject).on('error', () => {});
          sent.destroy();
        }, readsMs);
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer in ${HANG_MS} ms`)));
      sent.on('error', reject);
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** Header values that Node would not send are left out: nobody can send them. */
function asSent(headers: FuzzRequest['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
      [value].flat().every((each) => /^[\t\x20-\x7e\x80-\xff]*$/.test(each))
        ? [[name, typeof value === 'string' ? value : [...value]]]
        : [],
    ),
  );
}

/**
 * Runs requests, a few at a time.
 *
 * @param next - makes the next request.
 * @param judge - gives what is wrong with an answer, or undefined.
 */
export async function run(
  options: { baseUrl: string; requests: number; connections: number },
  next: () => FuzzRequest,
  judge: (request: FuzzRequest, answer: FuzzAnswer) => string | undefined,
): Promise<FuzzCount> {
  const { send, close } = sender(options.baseUrl, options.connections);
  const count: FuzzCount = { requests: 0, byStatus: {}, unavailable: 0, defects: [] };
  const note = (what: string, asked: FuzzRequest) => {
    if (count.defects.length < DEFECTS_MAX) count.defects.push(`${what}\n  ${shown(asked)}`);
  };
  const caller = async () => {
    while (count.requests < options.requests) {
      count.requests += 1;
      if (count.requests % PROGRESS_EVERY === 0) process.stderr.write(`${JSON.stringify(count)}\n`);
      const asked = next();
      try {
        const answer = await send(asked);
        count.byStatus[answer.status] = (count.byStatus[answer.status] ?? 0) + 1;
        if (answer.status === 503 || SAYS_UNAVAILABLE.test(answer.text)) {
          count.unavailable += 1;
          process.stderr.write(`unavailable: ${shown(asked)}\n  ${answer.text.slice(0, SHOWN)}\n`);
        }
        const defect = judge(asked, answer);
        if (defect) note(`${defect}: ${answer.status} ${answer.text.slice(0, SHOWN)}`, asked);
      } catch (error) {
        note(String(error), asked);
      }
    }
  };
  await Promise.all(Array.from({ length: options.connections }, caller));
  close();
  return count;
}

function shown({ method, target, headers, body }: FuzzRequest): string {
  const { authorization: _, ...others } = headers;
  return `${method} ${target} ${JSON.stringify(others)} ${String(body ?? '')}`.slice(0, SHOWN);
}

/** @returns what is wrong with an answer of `/v2`: every error is a problem with a code of the table (C-50). */
export function judgeRest({ method }: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  if (method === 'HEAD') return status < 500 ? undefined : 'failed';
  if (status < 400) return isJson(text) || !type.includes('json') ? undefined : 'is not JSON';
  if (!type.startsWith('application/problem+json')) return 'is not a problem';
  return judgeProblem(status, text);
}

/** @returns what is wrong with an answer of `/graphql`: errors have a code, and none of them is unforeseen. */
export function judgeGraphql(_asked: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  if (type.startsWith('application/problem+json')) return judgeProblem(status, text);
  if (status >= 500) return 'failed';
  if (!isJson(text)) return 'is not JSON';
  const { data, errors } = JSON.parse(text);
  if (data === undefined && !Array.isArray(errors)) return 'has neither data nor errors';
  for (const error of errors ?? []) {
    const code = error?.extensions?.code;
    if (!(code in ERRORS)) return 'has an error without a code of the table';
    if (code === 'INTERNAL') return 'failed';
  }
  return undefined;
}

/** @returns what is wrong with an answer of the path of single connections. What graphql-sse refuses by itself has no code. */
export function judgeStream({ method }: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  if (method !== 'HEAD' && type.startsWith('application/problem+json')) return judgeProblem(status, text);
  return status >= 500 || text.includes('"code":"INTERNAL"') ? 'failed' : undefined;
}

function judgeProblem(status: number, text: string): string | undefined {
  if (!isJson(text)) return 'is not JSON';
  const problem = JSON.parse(text);
  const code = problem.code as keyof typeof ERRORS;
  if (!(code in ERRORS) || ERRORS[code].status !== status || problem.status !== status)
    return 'is no problem of the table';
  if (typeof problem.request_id !== 'string' || typeof problem.detail !== 'string') return 'lacks a member';
  if (status < 500 || (status === 503 && UNAVAILABLE.includes(code))) return undefined;
  return 'failed';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
