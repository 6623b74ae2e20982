/** Reads the body of a request: whole, bounded, as it is. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from './errors.ts';

/** Maximum size of a request body (C-51). Unit: bytes. */
export const BODY_MAX_BYTES = 1_048_576;

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
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_MAX_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof GatewayError || !request.destroyed) throw error;
    throw new GatewayError('BAD_REQUEST', 'the body ended too early');
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
