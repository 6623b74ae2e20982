/**
 * The whole signer: a folder with key file, policy and record, and a server. The signer does not depend on the gateway.
 */
import { existsSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { makeFolder } from '../base/process/make-folder.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { createSignerPage } from './page.ts';
import { servePage } from './page-server.ts';
import { makeEnrolmentCode, openPasskeys, type Passkeys } from './passkeys.ts';
import { closedUnproven, type Policy, readPolicy, usd } from './policy.ts';
import { openRecord, type SignedRecord } from './record.ts';
import { openRefusalLog, type RefusalFacts } from './refusal-log.ts';
import { type ListenAddress, openPageServer, openServer, type PageAddress, type SignerLog } from './serve.ts';
import { createSignerService } from './signer.ts';
import { SignerError } from './signer-error.ts';
import { openWallet, type Wallet } from './wallet.ts';

export type { ListenAddress, PageAddress, SignerLog } from './serve.ts';
export { SignerError } from './signer-error.ts';
export { newWords, seedOf } from './words.ts';

/** Names of the files in the folder. */
const FILES = { key: 'key.json', policy: 'policy.json', record: 'signed.sqlite' } as const;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Public keys and addresses of a seed. */
export type WalletFacts = Pick<Wallet, 'xpub' | 'hot'>;

/** A running signer. */
export interface RunningSigner {
  readonly wallet: WalletFacts;
  /** Maximum losses through a compromised gateway, as lines of text. */
  readonly limits: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * Creates the folder and its key file.
 * @returns the facts of the seed that the gateway needs.
 * @throws {SignerError} if a key exists already, the passphrase is too short, or other users may read the folder.
 */
export async function initSigner(folder: string, seed: Uint8Array, passphrase: string): Promise<WalletFacts> {
  makeFolder(folder, 0o700);
  refuseOpenFolder(folder);
  await writeKeyFile(join(folder, FILES.key), seed, passphrase);
  return factsOf(openWallet(seed));
}

/** Addresses on which the signer listens. */
export interface SignerAddresses {
  /** For the gateway. */
  readonly gateway: ListenAddress;
  /** For browsers; undefined if the page is not served. */
  readonly page?: PageAddress | undefined;
}

/**
 * Log of a signer. The operator should investigate each `alarm`, since requests of a correct gateway are rarely
 * refused.
 */
export interface RunLog extends Pick<SignerLog, 'signed'> {
  readonly alarm: (facts: RefusalFacts & { readonly refusals: number }) => void;
}

/** Opens the folder, and listens. @throws {SignerError} for problems that the operator must solve. */
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
 * Makes a code that enrols one passkey. The signer may be running.
 * @returns the code, and the address of the page that accepts it.
 * @throws {SignerError} if the policy has no page, or other users may read the folder.
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

/** @returns the server of the page; undefined without one. */
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

/** An installation without a page may leave out the passkey library (decision 0063). */
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

/** Write access to the folder allows changes of the policy; read access discloses the key file. */
function refuseOpenFolder(folder: string): void {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & OTHERS) !== 0)
    throw new SignerError(
      `${folder} has the mode ${mode.toString(8).padStart(4, '0')}: no one else may have access to the folder of a signer (chmod 700)`,
    );
}

const factsOf = ({ xpub, hot }: Wallet): WalletFacts => ({ xpub, hot });

function linesOf(policy: Policy): string[] {
  const { all, gas, fee, perMinute } = policy;
  return [
    `hourly limit: USD ${usd(all.hour)} of everything that leaves, fees included`,
    `  without proof of the destination: ${unprovenLine(policy)}`,
    `  in all: USD ${usd(all.day)} a day, ${usd(all.transaction)} a transaction; fees up to ${usd(fee)} each; ${perMinute} transactions a minute`,
    `  gas to own deposit addresses: USD ${usd(gas.hour)} an hour`,
  ];
}

function unprovenLine(policy: Policy): string {
  const { transaction, hour, day } = policy.unproven;
  const closed = closedUnproven(policy);
  if (closed.length === 0)
    return `USD ${usd(hour)} an hour, ${usd(day)} a day, ${usd(transaction)} a transaction`;
  return `nothing, as ${closed.join(', ')} of policy.json ${closed.length > 1 ? 'are' : 'is'} 0. Payouts to payers' own wallets and deposits that go back wait until you set a figure`;
}

function linesOfProofs({ approvers, page, proofDays }: Policy, passkeys: Passkeys): string {
  const where = page ? ` at ${page.origin}` : '';
  return `${approvers.length} keys and ${passkeys.count()} passkeys${where} may prove destinations, for ${proofDays} days`;
}
