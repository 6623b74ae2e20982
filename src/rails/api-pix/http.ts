/**
 * Calls over TLS with a client certificate. A 4xx answer means that the call was refused. After any other failure,
 * including 5xx, the call may or may not have been executed.
 */
import { Agent, request as httpsRequest } from 'node:https';
import { storableJson } from '../../base/text/storable-json.ts';
import { callRail } from '../../base/trace/call-rail.ts';
import type { ApiPixSettings } from './settings.ts';

/** The call may or may not have been executed; the provider must be queried before the call is repeated. */
export class PspUnavailable extends Error {
  override readonly name: string = 'PspUnavailable';
}

/** The provider did not answer, or answered 5xx: the connection or the provider is down. */
export class PspSilent extends PspUnavailable {
  override readonly name = 'PspSilent';
}

/** The provider refused the call. */
export class PspProblem extends Error {
  override readonly name = 'PspProblem';
  readonly status: number;
  /** Last segment of `type`, such as `CobNaoEncontrado`, or the provider's own `nome`; empty without either. */
  readonly type: string;

  constructor(status: number, type: string, detail: string) {
    super(`the provider answered ${status} ${type}: ${detail}`);
    this.status = status;
    this.type = type;
  }
}

/** A call. */
export interface Call {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  /** The whole URL. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer below 500. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Makes a call. @throws {PspSilent} */
export type Caller = (call: Call) => Promise<Answer>;

/** Maximum size of an answer, enough for a statement page of a thousand payments. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
const CONNECTIONS_MAX = 32;
const WORDS_MAX = 300;

/** @returns a function that makes calls over reused connections. */
export function createCaller({
  certificate,
  key,
  ca,
  timeoutSeconds,
}: Pick<ApiPixSettings, 'certificate' | 'key' | 'ca' | 'timeoutSeconds'>): Caller {
  const agent = new Agent({
    cert: certificate,
    key,
    ...(ca !== null && { ca }),
    minVersion: 'TLSv1.2',
    keepAlive: true,
    maxSockets: CONNECTIONS_MAX,
  });
  return (call) =>
    // The span has no path, because there are keys and documents in it.
    callRail({ rail: 'pix', name: `${call.method} pix` }, (traced) =>
      callOnce(agent, { ...call, headers: { ...call.headers, ...traced } }, timeoutSeconds * 1_000),
    );
}

/**
 * @returns the answer as JSON. Any 2xx status is a success, because some banks answer 200 instead of 201.
 * @throws {PspProblem} for a refusal; {PspUnavailable} for a redirect, or an answer that is no JSON.
 */
export function jsonOf({ status, body }: Answer): unknown {
  const json = parse(body);
  if (status >= 400) throw problemOf(status, json, body);
  if (status < 200 || status >= 300)
    throw new PspUnavailable(`the provider answered ${status}, without a known meaning`);
  if (json === undefined && body !== '')
    throw new PspUnavailable(`the answer is not JSON: ${body.slice(0, 80)}`);
  return json;
}

async function callOnce(
  agent: Agent,
  { method, url, headers, body }: Call,
  limitMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const fields = { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
      const sent = httpsRequest(url, { agent, method, headers: fields, signal }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_MAX_BYTES) sent.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          if (status >= 500) reject(new Error(`the provider answered ${status}`));
          else resolve({ status, body: Buffer.concat(chunks).toString('utf8') });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  } catch (error) {
    const words = signal.aborted ? `no answer within ${limitMs} ms` : wordsOf(error);
    throw new PspSilent(`${method} ${pathOf(url)}: ${words}`);
  }
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads an error: API Pix has `type` and `detail` (RFC 7807), proprietary calls have `nome` and `mensagem`, and some
 * banks have a list of `codigo` and `mensagem`.
 */
function problemOf(status: number, json: unknown, body: string): PspProblem {
  const problem = objectOf(json);
  const [first = {}] = [problem.erros, problem.mensagens, problem.errors]
    .filter(Array.isArray)
    .flat()
    .map(objectOf);
  const text = (name: string) =>
    [problem, first].map((each) => each[name]).find((each) => typeof each === 'string') as string | undefined;
  const code = text('type')?.split('/').at(-1) ?? text('nome') ?? text('error') ?? text('codigo') ?? '';
  const reasons = Array.isArray(problem.violacoes)
    ? problem.violacoes.map((each) => String(objectOf(each).razao ?? '')).join('; ')
    : '';
  const words = text('detail') ?? text('mensagem') ?? text('message') ?? text('title') ?? body;
  return new PspProblem(
    status,
    code.slice(0, 80),
    [words, reasons].filter(Boolean).join(': ').slice(0, WORDS_MAX),
  );
}

function objectOf(json: unknown): Json {
  return typeof json === 'object' && json !== null ? (json as Json) : {};
}

function parse(body: string): unknown {
  try {
    return JSON.parse(storableJson(body));
  } catch {
    return undefined;
  }
}

/** The log gets paths without keys and queries, which are confidential. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

const UNSIGNED = 'the certificate of the provider is not signed by an authority of caFile';
const NOT_ACCEPTED = 'the provider does not accept the certificate of certificateFile';
/** Explanations of TLS errors for the operator. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNRESET: `the provider closed the connection; if it always does, then ${NOT_ACCEPTED}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNSIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNSIGNED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNSIGNED,
  CERT_SIGNATURE_FAILURE: UNSIGNED,
  CERT_HAS_EXPIRED: 'the certificate of the provider has expired',
  CERT_NOT_YET_VALID: 'the certificate of the provider is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the provider is for another host',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: NOT_ACCEPTED,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NOT_ACCEPTED,
};

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = error.message || error.name;
  const meaning = MEANINGS[(error as NodeJS.ErrnoException).code ?? ''];
  return meaning === undefined ? words : `${meaning} (${words})`;
}
