/** The signer process as a part of an installation: its address in RAILS_FILE, and its checks for `doctor`. */
import { Settings } from '../../base/process/settings.ts';
import type { SignerFacts } from '../../chains/sign-request.ts';
import type { Check, RailPart } from '../../resolvers/services/rail-part.ts';
import { type Signer, type SignerAddress, signerAt } from './signer.ts';

/** No failure: a house that pays nothing to payers' own wallets wants it so. */
const CLOSED: Check = {
  check: 'signer policy',
  ok: true,
  detail:
    'nothing leaves to a destination without proof, because `unproven` of policy.json is 0: crypto for payers’ own wallets and deposits that go back wait until you set it (docs/signer.md)',
};

/** Settings of the signer. */
export type SignerSettings = Readonly<ReturnType<typeof readSignerSettings>>;

/**
 * @param json - `{"socket"}`, or `{"url", "certificateFile", "keyFile", "caFile"}`; either may have `pageUrl`.
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

/** @returns the client of the signer. The first transaction or check makes the first query. */
export function createSigner({ address, pageUrl }: SignerSettings): RailPart<Signer> {
  const signer = { ...signerAt(address), page: pageUrl };
  return { port: signer, checks: () => checksOf(signer) };
}

async function checksOf(signer: Signer): Promise<readonly Check[]> {
  try {
    const { hot, page, limits } = await signer.describe();
    const addresses = Object.entries(hot).map(([network, address]) => `${network} ${address}`);
    return [
      { check: 'signer', ok: true, detail: `hot wallets ${addresses.join(', ')}` },
      ...(isClosed(limits) ? [CLOSED] : []),
      ...(signer.page === undefined ? [] : [pageCheck(signer.page, page)]),
    ];
  } catch (error) {
    return [{ check: 'signer', ok: false, detail: (error as Error).message }];
  }
}

/** @returns whether the policy of the signer serves no destination without proof. */
function isClosed({ unproven }: SignerFacts['limits']): boolean {
  return unproven !== undefined && Object.values(unproven).some((limit) => Number(limit) === 0);
}

/**
 * Compares the page of the gateway's settings, to which the console links, with that of the signer's policy, where
 * proofs are made.
 */
function pageCheck(ours: string, theirs: string | null): Check {
  return {
    check: 'signer page',
    ok: ours === theirs,
    detail: ours === theirs ? ours : `pageUrl is ${ours}, but the page of the signer is ${theirs ?? 'off'}`,
  };
}
