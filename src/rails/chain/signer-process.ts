/** The signer as a part of an installation: its address by RAILS_FILE, and its checks for `doctor`. */
import { Settings } from '../../base/process/settings.ts';
import type { RailCheck, RailPart } from '../../resolvers/services/rail-part.ts';
import { type Signer, type SignerAddress, signerAt } from './signer.ts';

/** Settings of the signer. */
export type SignerSettings = Readonly<ReturnType<typeof readSignerSettings>>;

/**
 * @param json - `{"socket"}`, or `{"url", "certificateFile", "keyFile", "caFile"}`; `pageUrl` with either.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readSignerSettings(json: unknown, path: string) {
  const settings = new Settings(json, path);
  settings.raw('kind');
  const address: SignerAddress = settings.has('socket')
    ? { socket: settings.text('socket') }
    : {
        url: settings.url('url'),
        certificateFile: settings.file('certificateFile'),
        keyFile: settings.file('keyFile'),
        caFile: settings.file('caFile'),
      };
  /** Origin of the page on which people prove destinations. */
  const pageUrl = settings.has('pageUrl') ? settings.url('pageUrl') : undefined;
  return settings.end({ address, pageUrl });
}

/** @returns the part with the client of the signer; the first query comes with the first transaction or check. */
export function createSigner({ address, pageUrl }: SignerSettings): RailPart<Signer> {
  const signer = { ...signerAt(address), page: pageUrl };
  return { port: signer, checks: () => checksOf(signer) };
}

async function checksOf(signer: Signer): Promise<readonly RailCheck[]> {
  try {
    const { hot, page } = await signer.describe();
    const addresses = Object.entries(hot).map(([network, address]) => `${network} ${address}`);
    const checks = [{ check: 'signer', ok: true, detail: `hot wallets ${addresses.join(', ')}` }];
    return signer.page === undefined ? checks : [...checks, pageCheck(signer.page, page)];
  } catch (error) {
    return [{ check: 'signer', ok: false, detail: (error as Error).message }];
  }
}

/** Links of the console lead to the page that the settings name; proofs are made on the one of the signer's policy. */
function pageCheck(ours: string, theirs: string | null): RailCheck {
  return {
    check: 'signer page',
    ok: ours === theirs,
    detail: ours === theirs ? ours : `pageUrl is ${ours}, but the page of the signer is ${theirs ?? 'off'}`,
  };
}
