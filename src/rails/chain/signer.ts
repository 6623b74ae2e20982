/** Client of the signer, used by the rails of networks: over a Unix socket, or mutual TLS. */
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http';
import { request as overTls } from 'node:https';
import { callRail } from '../../base/trace/call-rail.ts';
import type { Signed, SignerFacts, SignRequest } from '../../chains/sign-request.ts';

export type { SignRequest } from '../../chains/sign-request.ts';

/** The process `crossramp signer`. */
export interface Signer {
  /** @returns public facts of the signer: addresses, extended public keys, limits. @throws {SignerUnavailable} */
  readonly describe: () => Promise<SignerFacts>;
  /** @throws {SignerRefused} {SignerUnavailable} */
  readonly sign: (request: SignRequest) => Promise<Signed>;
  /** Origin of the signer's page in the gateway's settings; undefined without one. */
  readonly page?: string | undefined;
}

/** The signer refused; nothing was signed under this id. docs/signer.md lists the reasons. */
export class SignerRefused extends Error {
  override readonly name = 'SignerRefused';
  /** Name of the reason. Reasons that begin with `limit` pass with time. */
  readonly reason: string;

  constructor(reason: string, message = reason) {
    super(message);
    this.reason = reason;
  }
}

/** The signer did not answer, and may have signed. Repeat the request under the same id. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}

/** Address of the signer. */
export type SignerAddress =
  | { readonly socket: string }
  | {
      readonly url: string;
      readonly certificateFile: string;
      readonly keyFile: string;
      readonly caFile: string;
    };

const ANSWER_MS = 15_000;
const ANSWER_MAX = 256 * 1024;

/** @returns the client of a signer; makes no query yet. */
export function signerAt(address: SignerAddress): Signer {
  const connection = connectionOf(address);
  return {
    describe: async () => {
      const { status, body } = await request(connection, 'GET', '/describe');
      if (status !== 200) throw new SignerUnavailable(`the signer answered ${status}`);
      return body as unknown as SignerFacts;
    },
    sign: async (order) => {
      const { status, body } = await request(connection, 'POST', '/sign', JSON.stringify(order));
      const { raw, hash, reason, detail } = body;
      if (status === 403) throw new SignerRefused(String(reason), `${reason}: ${detail}`);
      if (status !== 200 || typeof raw !== 'string' || typeof hash !== 'string')
        throw new SignerUnavailable(`the signer answered ${status}`);
      return { raw, hash };
    },
  };
}

/** Transport of a request. */
type Connection = RequestOptions & { readonly isTls: boolean };

function connectionOf(address: SignerAddress): Connection {
  if ('socket' in address) return { socketPath: address.socket, isTls: false };
  const { hostname, port } = new URL(address.url);
  const [cert, key, ca] = [address.certificateFile, address.keyFile, address.caFile].map((file) =>
    readFileSync(file),
  );
  return { hostname, port, isTls: true, ...{ cert, key, ca } };
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

function request(connection: Connection, method: string, path: string, body = ''): Promise<Answer> {
  return callRail({ rail: 'signer', name: `${method} signer ${path}` }, (traced) =>
    requestOnce(connection, { method, path, body, traced }),
  );
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Header fields that propagate the trace. */
  readonly traced: Readonly<Record<string, string>>;
}

function requestOnce(
  { isTls, ...connection }: Connection,
  { method, path, body, traced }: Question,
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...traced,
  };
  const options = {
    ...connection,
    method,
    path,
    headers,
    agent: false,
    signal: AbortSignal.timeout(ANSWER_MS),
  };
  return new Promise<Answer>((resolve, reject) => {
    const answered = (response: IncomingMessage) => {
      read(response).then(resolve, reject);
    };
    (isTls ? overTls : overHttp)(options, answered).once('error', reject).end(body);
  }).catch((error: unknown) => {
    throw new SignerUnavailable(`the signer does not answer: ${(error as Error).message}`);
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (text.length > ANSWER_MAX) throw new RangeError('its answer is too long');
  }
  return { status: response.statusCode ?? 0, body: JSON.parse(text) };
}
