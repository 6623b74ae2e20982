/** The signer as a process, in a folder of its own. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Policy, readPolicy } from '../../src/signer/policy.ts';
import { begin, beginWithLog, crossramp, type Ended } from './process.ts';

/** A signer that was made, and may be started and killed as often as one likes. */
export interface SignerHome {
  readonly folder: string;
  readonly socket: string;
  /** What `signer init --json` printed. */
  readonly facts: Readonly<Record<'hot' | 'xpub', Readonly<Record<string, string>>>>;
  readonly remove: () => void;
}

/** A signer that runs. */
export interface SignerProcess {
  /** What it printed at its start. */
  readonly said: string;
  /** What it has written to standard error so far. */
  readonly log: () => string;
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** A policy that serves destinations without proof: the shipped one serves none. */
export const OPEN_POLICY = { unproven: { transaction: '2000', hour: '5000', day: '20000' } } as const;

const SEED = '000102030405060708090a0b0c0d0e0f';

/** A policy of such destinations alone, read from a file of the folder. */
export function openPolicyIn(folder: string): Policy {
  const file = join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify(OPEN_POLICY));
  return readPolicy(file);
}

/** Makes a folder with a key, and a policy where one is given. */
export async function newSigner(policy?: object): Promise<SignerHome> {
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-signer-'));
  const files = { passphrase: join(folder, 'passphrase'), seed: join(folder, 'seed') };
  writeFileSync(files.passphrase, 'correct horse battery\n');
  writeFileSync(files.seed, SEED);
  if (policy) writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
  const init = ['signer', 'init', '--folder', folder, '--passphrase-file', files.passphrase];
  const { code, stdout, stderr } = await crossramp({}, ...init, '--import', files.seed, '--json');
  if (code !== 0) throw new Error(stderr);
  return {
    folder,
    socket: join(folder, 's'),
    facts: JSON.parse(stdout),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts it and waits until it listens: at its socket where `address` says nothing else. */
export function startSigner(home: SignerHome, ...address: string[]): Promise<SignerProcess> {
  return untilListening(begin({}, ...runArguments(home, address)));
}

/** The same with another standard error than a pipe to the test. @param file - descriptor of an open file. */
export function startSignerWithLog(file: number, home: SignerHome): Promise<SignerProcess> {
  return untilListening(beginWithLog(file, ...runArguments(home, [])));
}

function runArguments({ folder, socket }: SignerHome, address: readonly string[]): string[] {
  const place = address.length > 0 ? address : ['--socket', socket];
  return ['signer', '--folder', folder, '--passphrase-file', join(folder, 'passphrase'), ...place];
}

async function untilListening({ child, ended }: ReturnType<typeof begin>): Promise<SignerProcess> {
  let said = '';
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  while (!said.includes('listens at')) {
    const next = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
    if ('code' in next) throw new Error(`the signer ended: ${next.stderr}`);
  }
  return {
    said,
    log: () => log,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** @returns the link by which the operator lets a person enrol a passkey at the signer. */
export async function enrolmentLink(
  { folder }: SignerHome,
  account: string,
  name = 'Ana Souza',
): Promise<string> {
  const given = ['--folder', folder, '--account', account, '--name', name, '--json'];
  const { code, stdout, stderr } = await crossramp({}, 'signer', 'enrol', ...given);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).url;
}
