/** The signer as a whole: a folder with key file, policy and record, and a server. It knows nothing of the gateway. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { type Policy, readPolicy, usd } from './policy.ts';
import { openRecord } from './record.ts';
import { type ListenAddress, openServer, type SignerLog } from './serve.ts';
import { createSignerService } from './signer.ts';
import { SignerError } from './signer-error.ts';
import { openWallet, type Wallet } from './wallet.ts';

export type { ListenAddress, SignerLog } from './serve.ts';
export { SignerError } from './signer-error.ts';
export { newWords, seedOf } from './words.ts';

/** Files of the folder. */
const FILES = { key: 'key.json', policy: 'policy.json', record: 'signed.sqlite' } as const;

/** What a mode gives to group and others. */
const OTHERS = 0o077;

/** Public facts of a seed. */
export type WalletFacts = Pick<Wallet, 'xpub' | 'hot'>;

/** A signer that runs. */
export interface RunningSigner {
  readonly wallet: WalletFacts;
  /** What a gateway that was taken over can lose, line by line. */
  readonly limits: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * Makes the folder and the key file in it.
 *
 * @returns what the gateway needs of the seed.
 * @throws {SignerError} when there is a key already, the passphrase is too short, or others may look into the folder.
 */
export async function initSigner(folder: string, seed: Uint8Array, passphrase: string): Promise<WalletFacts> {
  makeFolder(folder, 0o700);
  refuseOpenFolder(folder);
  await writeKeyFile(join(folder, FILES.key), seed, passphrase);
  return factsOf(openWallet(seed));
}

/** Opens the folder, and listens. @throws {SignerError} for what the operator has to put right. */
export async function startSigner(
  folder: string,
  passphrase: string,
  address: ListenAddress,
  log: SignerLog,
): Promise<RunningSigner> {
  refuseOpenFolder(folder);
  const policyFile = join(folder, FILES.policy);
  const policy = readPolicy(existsSync(policyFile) ? policyFile : undefined);
  const wallet = openWallet(await readKeyFile(join(folder, FILES.key), passphrase));
  const record = openRecord(join(folder, FILES.record));
  const server = await openServer(
    createSignerService(wallet, policy, record),
    address,
    log,
    record.refused,
  ).catch((error: unknown) => {
    record.close();
    throw error;
  });
  return {
    wallet: factsOf(wallet),
    limits: linesOf(policy),
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      record.close();
    },
  };
}

/** Whoever can write there writes the policy; whoever can read there takes the key file home. */
function refuseOpenFolder(folder: string): void {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & OTHERS) !== 0)
    throw new SignerError(
      `${folder} has the mode ${mode.toString(8).padStart(4, '0')}: nobody else may look into the folder of a signer (chmod 700)`,
    );
}

const factsOf = ({ xpub, hot }: Wallet): WalletFacts => ({ xpub, hot });

function linesOf({ all, unproven, gas, fee, perMinute, approvers }: Policy): string[] {
  return [
    `hourly limit: USD ${usd(all.hour)} of everything that leaves, fees included`,
    `  without proof of the destination: USD ${usd(unproven.hour)} an hour, ${usd(unproven.day)} a day, ${usd(unproven.transaction)} a transaction`,
    `  in all: USD ${usd(all.day)} a day, ${usd(all.transaction)} a transaction; fees up to ${usd(fee)} each; ${perMinute} transactions a minute`,
    `  gas to own deposit addresses: USD ${usd(gas.hour)} an hour`,
    `${approvers.length} approvers may prove destinations`,
  ];
}
