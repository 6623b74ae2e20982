/** Settings for a gateway that uses this PSP: `rails.json`, to be named by RAILS_FILE. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PSP_PROFILES, type PspProfile } from './profiles.ts';
import type { RunningPsp } from './psp.ts';

/**
 * Writes `rails.json`, and the client's secret, next to the certificates.
 * @param callbackPort - port on this machine at which the gateway receives callbacks.
 * @returns the name of the file.
 */
export function writeRailsSettings(psp: RunningPsp, home: string, callbackPort: number): string {
  const { url, controlUrl: pspControl, client, holder } = psp;
  const profile: PspProfile = PSP_PROFILES[psp.profile];
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
    ...(psp.profile !== 'standard' && { profile: psp.profile }),
    url: `${url}${baseOf(profile)}`,
    tokenUrl: `${url}${profile.tokenPath}`,
    clientId: client.id,
    ...(!profile.isSecretless && { clientSecretFile: 'client-secret' }),
    ...(psp.profile === 'inter' && { headers: { 'x-conta-corrente': '1234567' } }),
    ...(psp.profile === 'bb' && { query: { 'gw-dev-app-key': 'sandbox' } }),
    ...identity,
    caFile: 'ca.pem',
    pixKey,
    ispb: holder.ispb,
    ...(profile.payouts === 'efi' && { infractionsUrl: `${url}/v2/gn/infracoes` }),
    callback,
    ...(profile.payouts === 'inter' && { payouts: { kind: 'inter', url } }),
    ...(profile.payouts === 'efi' && {
      payouts: { kind: 'efi', url, payingKey: pixKey, lookUpUrl: `${url}/v2/dict` },
    }),
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, `${JSON.stringify({ sandbox: { pix, pspControl } }, null, 2)}\n`);
  return file;
}

/**
 * Finds the common beginning of all resource paths, in whole segments; the paths in the settings of a bank begin after
 * it.
 */
function baseOf({ paths }: PspProfile): string {
  const parts = Object.values(paths).map((path) => path.split('/').slice(0, -1));
  const [first = []] = parts;
  const end = first.findIndex((part, at) => parts.some((each) => each[at] !== part));
  return first.slice(0, end === -1 ? first.length : end).join('/');
}
