/** `crossramp signer`: the process that holds the keys. It works without database and gateway, on a folder of its own. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import type { ListenAddress, SignerLog, WalletFacts } from '../signer/index.ts';
import { SignerError } from '../signer/signer-error.ts';
import { answer, jsonOption } from './output.ts';
import { untilInterrupted } from './until-interrupted.ts';

interface InitOptions {
  readonly folder: string;
  readonly passphraseFile?: string;
  readonly import?: string;
  readonly json?: boolean;
}

interface RunOptions {
  readonly folder: string;
  readonly passphraseFile?: string;
  readonly socket?: string;
  readonly listen?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly clientCa?: string;
  readonly json?: boolean;
}

/** Makes the key of a signer, and runs it. */
export function signerCommand(): Command {
  const signer = new Command('signer').description(
    'The signer: a process that holds the keys of the hot wallet and of deposit addresses, and signs what its policy allows.',
  );
  withFolder(signer.command('run', { isDefault: true }))
    .description('Runs the signer until it is stopped; "crossramp signer" alone does the same.')
    .option('--socket <path>', 'Unix socket to listen at, which this user alone may open')
    .option('--listen <host:port>', 'listen over TLS instead, with certificates on both sides')
    .option('--certificate <file>', 'with --listen: certificate of the signer, PEM')
    .option('--key <file>', 'with --listen: private key of that certificate, PEM')
    .option(
      '--client-ca <file>',
      'with --listen: authority that signs the certificates of allowed clients, PEM',
    )
    .action(run);
  withFolder(signer.command('init'))
    .description(
      'Makes a key and prints its 24 words once, or imports a key; prints the addresses that the gateway needs.',
    )
    .option('--import <file>', 'take the words of BIP-39, or the seed in hexadecimal digits, from this file')
    .action(init);
  return signer;
}

function withFolder(command: Command): Command {
  return command
    .requiredOption('--folder <path>', 'folder of key file, policy and record; nobody else may read it')
    .option(
      '--passphrase-file <file>',
      'file with the passphrase of the key file; by default it is asked for',
    )
    .addOption(jsonOption());
}

async function init(options: InitOptions): Promise<void> {
  const { initSigner, newWords, seedOf } = await import('../signer/index.ts');
  const words = options.import === undefined ? newWords() : undefined;
  const seed = await seedOf(words ?? readFileSync(options.import as string, 'utf8'));
  const facts = await initSigner(options.folder, seed, await passphraseOf(options));
  const secret = words ? ['Write these words down. They are shown this once:', `  ${words}`, ''] : [];
  answer(options, { ...facts, ...(words && { words }) }, [...secret, ...linesOf(facts)].join('\n'));
}

async function run(options: RunOptions): Promise<void> {
  const { startSigner } = await import('../signer/index.ts');
  const address = listenAddressOf(options);
  const { wallet, limits, stop } = await startSigner(
    options.folder,
    await passphraseOf(options),
    address,
    LOG,
  );
  const place = 'socket' in address ? address.socket : `${address.host}:${address.port}`;
  const text = [...linesOf(wallet), ...limits, `listens at ${place}`].join('\n');
  answer(options, { ...wallet, limits, listensAt: place }, text);
  await untilInterrupted(
    'what was signed is on the disk',
    (signal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  ).finally(stop);
}

/** One line of JSON for each; standard output is for what the operator reads. */
const LOG: SignerLog = {
  signed: (facts) => line('info', 'signed', facts),
  alarm: (facts) => line('alarm', 'refused', facts),
};

function line(level: string, event: string, facts: object): void {
  process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), event, ...facts })}\n`);
}

function linesOf({ hot, xpub }: WalletFacts): string[] {
  return Object.keys(hot).flatMap((network) => [
    `${network}  hot wallet ${hot[network]}`,
    `${network}  deposits   ${xpub[network]}`,
  ]);
}

function listenAddressOf({ socket, listen, certificate, key, clientCa }: RunOptions): ListenAddress {
  if (socket !== undefined && listen === undefined) return { socket };
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(listen ?? '') ?? [];
  if (socket !== undefined || !host || !port || !certificate || !key || !clientCa)
    throw new SignerError(
      'expected --socket, or --listen <host:port> with --certificate, --key and --client-ca',
    );
  return { host, port: Number(port), certificateFile: certificate, keyFile: key, clientCaFile: clientCa };
}

async function passphraseOf({ passphraseFile }: { readonly passphraseFile?: string }): Promise<string> {
  if (passphraseFile !== undefined) return readFileSync(passphraseFile, 'utf8').replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) throw new SignerError('expected --passphrase-file where nobody can be asked');
  process.stderr.write('Passphrase: ');
  // What is typed is not shown.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const passphrase = await terminal.question('');
  terminal.close();
  process.stderr.write('\n');
  return passphrase;
}
