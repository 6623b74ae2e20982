/**
 * The signer as a whole: a folder with key file, policy and record, and a server. The signer knows nothing of the
 * gateway.
 */
import { existsSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { makeFolder } from '../base/process/make-folder.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { createSignerPage } from './page.ts';
import { servePage } from './page-server.ts';
import { makeEnrolmentCode, openPasskeys, type Passkeys } from './passkeys.ts';
import { type Policy, readPolicy, usd } from './policy.ts';
import { openRecord, type SignedRecord } from './record.ts';
import { openRefusalLog, type RefusalFacts } from './refusal-log.ts';
import { type ListenAddress, openPageServer, openServer, type PageAddress, type SignerLog } from './serve.ts';
import { createSignerService } from './signer.ts';
import { SignerError } from './signer-error.ts';
import { openWallet, type Wallet } from './wallet.ts';

export type { ListenAddress, PageAddress, SignerLog } from './serve.ts';
export { SignerError } from './signer-error.ts';
export { newWords, seedOf } from './words.ts';

/** Files of the folder. */
const FILES = { key: 'key.json', policy: 'policy.json', record: 'signed.sqlite' } as const;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Public facts of a seed. */
export type WalletFacts = Pick<Wallet, 'xpub' | 'hot'>;

/** A signer that runs. */
export interface RunningSigner {
  readonly wallet: WalletFacts;
  /** Maximum losses through a compromised gateway, line by line. */
  readonly limits: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * Creates the folder and the key file in it.
 *
 * @returns the facts of the seed that the gateway needs.
 * @throws {SignerError} when a key exists already, the passphrase is too short, or other users may read the folder.
 */
export async function initSigner(folder: string, seed: Uint8Array, passphrase: string): Promise<WalletFacts> {
  makeFolder(folder, 0o700);
  refuseOpenFolder(folder);
  await writeKeyFile(join(folder, FILES.key), seed, passphrase);
  return factsOf(openWallet(seed));
}

/** Addresses on which a signer listens. */
export interface SignerAddresses {
  /** For the gateway. */
  readonly gateway: ListenAddress;
  /** For browsers; undefined: nowhere. */
  readonly page?: PageAddress | undefined;
}

/** Log of a signer. `alarm` is for the operator to investigate, since a correct gateway is hardly ever refused. */
export interface RunLog extends Pick<SignerLog, 'signed'> {
  readonly alarm: (facts: RefusalFacts & { readonly refusals: number }) => void;
}

/** Opens the folder, and listens. @throws {SignerError} for problems that the operator has to solve. */
export async function startSigner(
  folder: string,
  passphrase: string,
  addresses: SignerAddresses,
  log: RunLog,
): Promise<RunningSigner> {
  refuseOpenFolder(folder);
  const policy = policyOf(folder);
  const wallet = openWallet(await readKeyFile(join(folder, FILES.key), passphrase));
  const record = openRecord(join(folder, FILES.record));
  const refusals = openRefusalLog(log.alarm);
  const stop = async (...servers: readonly Server[]) => {
    await Promise.all(servers.map(closeServer));
    refusals.close();
    record.close();
  };
  try {
    const passkeys = openPasskeys(folder, record.nowMs);
    const service = createSignerService(wallet, policy, record, passkeys);
    const page = await openPage(addresses.page, policy, passkeys, record, refusals);
    const lines = { signed: log.signed, refused: refusals.refused };
    const server = await openServer(service, addresses.gateway, lines, record.refused).catch(
      async (error: unknown) => {
        await Promise.all(page.map(closeServer));
        throw error;
      },
    );
    return {
      wallet: factsOf(wallet),
      limits: [...linesOf(policy), linesOfProofs(policy, passkeys)],
      stop: () => stop(server, ...page),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Makes a code by which one passkey is enrolled; the signer may be running.
 *
 * @returns the code, and the address of the page that accepts it.
 * @throws {SignerError} when the policy has no page, or other users may read the folder.
 */
export function makeEnrolment(
  folder: string,
  enrolment: { readonly account: string; readonly name: string },
): { readonly code: string; readonly url: string } {
  refuseOpenFolder(folder);
  const { page } = policyOf(folder);
  if (!page)
    throw new SignerError(`${join(folder, FILES.policy)} has no "page": passkeys are enrolled there`);
  const code = makeEnrolmentCode(folder, enrolment, Date.now());
  return { code, url: `${page.origin}/enrol#${code}` };
}

function policyOf(folder: string): Policy {
  const file = join(folder, FILES.policy);
  return readPolicy(existsSync(file) ? file : undefined);
}

/** @returns the server of the page, if there is one. */
async function openPage(
  address: PageAddress | undefined,
  policy: Policy,
  passkeys: Passkeys,
  record: SignedRecord,
  log: Pick<SignerLog, 'refused'>,
): Promise<readonly Server[]> {
  if (!address) return [];
  if (!policy.page) throw new SignerError('--page needs "page" in policy.json: the origin of the page');
  refuseMissingLibrary();
  const server = await openPageServer(address);
  servePage(server, createSignerPage(policy, policy.page, passkeys, record), policy.page.origin, log);
  return [server];
}

/** The library of passkeys may be left out of an installation without a page (decision 0063). */
function refuseMissingLibrary(): void {
  try {
    import.meta.resolve('@simplewebauthn/server');
  } catch {
    throw new SignerError('--page needs @simplewebauthn/server: install the signer without --omit=optional');
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Write access to the folder gives control of the policy; read access gives the key file. */
function refuseOpenFolder(folder: string): void {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & OTHERS) !== 0)
    throw new SignerError(
      `${folder} has the mode ${mode.toString(8).padStart(4, '0')}: no one else may have access to the folder of a signer (chmod 700)`,
    );
}

const factsOf = ({ xpub, hot }: Wallet): WalletFacts => ({ xpub, hot });

function linesOf({ all, unproven, gas, fee, perMinute }: Policy): string[] {
  return [
    `hourly limit: USD ${usd(all.hour)} of everything that leaves, fees included`,
    `  without proof of the destination: USD ${usd(unproven.hour)} an hour, ${usd(unproven.day)} a day, ${usd(unproven.transaction)} a transaction`,
    `  in all: USD ${usd(all.day)} a day, ${usd(all.transaction)} a transaction; fees up to ${usd(fee)} each; ${perMinute} transactions a minute`,
    `  gas to own deposit addresses: USD ${usd(gas.hour)} an hour`,
  ];
}

function linesOfProofs({ approvers, page, proofDays }: Policy, passkeys: Passkeys): string {
  const where = page ? ` at ${page.origin}` : '';
  return `${approvers.length} keys and ${passkeys.count()} passkeys${where} may prove destinations, for ${proofDays} days`;
}
