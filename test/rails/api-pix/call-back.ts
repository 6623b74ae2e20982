/** Callbacks as a caller sends them who is not the provider of the test, or is. */
import { request } from 'node:https';
import { newEndToEndId } from '../../../src/base/pix/end-to-end-id.ts';
import type { Identity } from '../../../src/psp/ca.ts';
import type { Stand } from './harness.ts';

/** A callback. */
export interface Sent {
  readonly identity?: Identity | undefined;
  readonly body?: string;
  readonly path?: string;
  readonly method?: string;
  readonly to?: string;
}

/** @returns the status, or the reason that there is no answer. */
export function callBack(
  stand: Stand,
  { identity, body = '{"pix":[]}', path = '/pix', method = 'POST', to }: Sent,
): Promise<number | string> {
  const { ca } = stand.psp.certificates;
  const tls = { ca: ca.certificate, ...(identity && { cert: identity.certificate, key: identity.key }) };
  return new Promise((resolve) => {
    const call = request(
      `${to ?? stand.settings.callback?.url}${path}`,
      { ...tls, method, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.on('error', ({ message }) => resolve(message)).end(method === 'GET' ? undefined : body);
  });
}

/** @returns a PIX as a callback has it, of which the provider knows nothing. */
export const inventedPix = (more: object = {}) => ({
  endToEndId: newEndToEndId({ ispb: '12345678', at: new Date() }),
  valor: '3.00',
  horario: new Date().toISOString(),
  ...more,
});
