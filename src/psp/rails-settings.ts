/** The settings with which a gateway talks to this PSP: `rails.json`, to be given as RAILS_FILE. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningPsp } from './psp.ts';

/**
 * Writes `rails.json` and the client's secret next to the certificates.
 *
 * @param callbackPort - port on this machine at which the gateway receives callbacks.
 * @returns the name of the file.
 */
export function writeRailsSettings(psp: RunningPsp, home: string, callbackPort: number): string {
  const { url, controlUrl: pspControl, client, holder } = psp;
  const [pixKey] = holder.keys;
  const secretFile = join(home, 'client-secret');
  writeFileSync(secretFile, client.secret, { mode: 0o600 });
  const identity = { certificateFile: 'gateway.pem', keyFile: 'gateway-key.pem' };
  const callback = {
    url: `https://127.0.0.1:${callbackPort}`,
    listen: `127.0.0.1:${callbackPort}`,
    clientCaFile: 'ca.pem',
    clientNames: ['Crossramp PSP'],
    ...identity,
  };
  const pix = {
    kind: 'api-pix',
    url: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    clientId: client.id,
    clientSecretFile: 'client-secret',
    ...identity,
    caFile: 'ca.pem',
    pixKey,
    ispb: holder.ispb,
    infractionsUrl: `${url}/v2/gn/infracoes`,
    callback,
    payouts: { kind: 'efi', url, payingKey: pixKey, lookUpUrl: `${url}/v2/dict` },
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, `${JSON.stringify({ sandbox: { pix, pspControl } }, null, 2)}\n`);
  return file;
}
