/** Reads the body of a request: whole, with a size limit, unchanged. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/errors.ts';

/** Maximum size of a request body (C-51). Unit: bytes. */
export const BODY_MAX_BYTES = 1_048_576;
/**
 * Maximum number of bytes of an oversized body that the gateway reads and discards, so that its sender can read the
 * response.
 */
const PASSED_OVER_MAX_BYTES = 8 * BODY_MAX_BYTES;

/**
 * Reads a whole body.
 *
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE` when it is over 1 MiB, `UNSUPPORTED_MEDIA_TYPE` when it is compressed,
 *   `BAD_REQUEST` when its connection breaks.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () =>
    new GatewayError('PAYLOAD_TOO_LARGE', `the body must not exceed ${BODY_MAX_BYTES} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > BODY_MAX_BYTES) throw tooLarge();
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the body must not have a Content-Encoding', {
      headers: { 'accept-encoding': 'identity' },
    });
  return wholeOf(request, tooLarge);
}

function endedEarly(): GatewayError {
  return new GatewayError('BAD_REQUEST', 'the body ended too early');
}

/** Reads by the events of the stream: an iterator would double the cost of reading a small request. */
function wholeOf(request: IncomingMessage, tooLarge: () => GatewayError): Promise<Buffer> {
  // For a request without a body, no event may follow.
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (request.destroyed) return Promise.reject(endedEarly());
  if (hasCome(request)) return Promise.resolve(readBufferedBody(request));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX_BYTES) chunks.push(chunk);
      else reject(tooLarge());
      // Closes the connection: otherwise Node would read up to the time limit of a request.
      if (size > PASSED_OVER_MAX_BYTES) request.destroy();
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const fail = () => {
      if (!request.readableEnded) reject(endedEarly());
    };
    request.once('error', fail);
    request.once('close', fail);
  });
}

/**
 * A member of Node's requests that its types lack: Node ends requests that announce no body
 * (`optimizeEmptyRequests`).
 */
interface Endable {
  readonly _dumpAndCloseReadable: () => void;
}

/** Whether the whole body has already arrived: usually it comes in one piece with its headers. */
function hasCome(request: IncomingMessage): request is IncomingMessage & Endable {
  const { readableLength } = request;
  return (
    readableLength > 0 &&
    readableLength === Number(request.headers['content-length']) &&
    '_dumpAndCloseReadable' in request
  );
}

/**
 * Reads a body that has already arrived: as a stream it would take several turns of the event loop for one piece. Afterwards
 * the request counts as destroyed and emits nothing: only the response shows whether the client disconnected.
 */
function readBufferedBody(request: IncomingMessage & Endable): Buffer {
  const body: Buffer = request.read();
  request._dumpAndCloseReadable();
  return body;
}
