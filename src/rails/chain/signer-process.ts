/** The signer as a part of an installation: where it listens by RAILS_FILE, and what `doctor` says of it. */
import { Settings } from '../../base/settings.ts';
import type { RailCheck, RailPart } from '../../resolvers/services/rail-part.ts';
import { type Signer, type SignerAddress, signerAt } from './signer.ts';

/**
 * @param json - `{"socket"}`, or `{"url", "certificateFile", "keyFile", "caFile"}`.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readSignerSettings(json: unknown, path: string): SignerAddress {
  const settings = new Settings(json, path);
  settings.raw('kind');
  const address = settings.has('socket')
    ? { socket: settings.text('socket') }
    : {
        url: settings.url('url'),
        certificateFile: settings.file('certificateFile'),
        keyFile: settings.file('keyFile'),
        caFile: settings.file('caFile'),
      };
  settings.end();
  return address;
}

/** @returns the part with the client of the signer; nothing is asked before the first transaction or check. */
export function createSigner(address: SignerAddress): RailPart<Signer> {
  const signer = signerAt(address);
  return { port: signer, checks: () => checksOf(signer) };
}

async function checksOf(signer: Signer): Promise<readonly RailCheck[]> {
  try {
    const { hot } = await signer.describe();
    const addresses = Object.entries(hot).map(([network, address]) => `${network} ${address}`);
    return [{ check: 'signer', ok: true, detail: `hot wallets ${addresses.join(', ')}` }];
  } catch (error) {
    return [{ check: 'signer', ok: false, detail: (error as Error).message }];
  }
}
