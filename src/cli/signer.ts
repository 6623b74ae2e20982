/**
 * `crossramp signer`: the process that holds the keys. The signer works without database and gateway, on a folder of
 * its own.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { type LogOutput, standardError } from '../server/process/log-output.ts';
import type { ListenAddress, PageAddress, RunLog, WalletFacts } from '../signer/index.ts';
import { SignerError } from '../signer/signer-error.ts';
import { answer, jsonOption } from './output.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** Longest wait at the end for lines that are not yet written. Unit: ms. */
const LOG_DRAIN_MS = 500;

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
  readonly page?: string;
  readonly pageCertificate?: string;
  readonly pageKey?: string;
  readonly json?: boolean;
}

interface EnrolOptions {
  readonly folder: string;
  readonly account: string;
  readonly name: string;
  readonly json?: boolean;
}

/** Makes the key of a signer, and runs it. */
export function signerCommand(): Command {
  const signer = new Command('signer').description(
    'The signer: a process that holds the keys of the hot wallet and of deposit addresses, and signs what its policy allows.',
  );
  withPassphrase(signer.command('run', { isDefault: true }))
    .description('Runs the signer until it is stopped; "crossramp signer" alone does the same.')
    .option('--socket <path>', 'Unix socket to listen at, which this user alone may open')
    .option('--listen <host:port>', 'listen over TLS instead, with certificates on both sides')
    .option('--certificate <file>', 'with --listen: certificate of the signer, PEM')
    .option('--key <file>', 'with --listen: private key of that certificate, PEM')
    .option(
      '--client-ca <file>',
      'with --listen: authority that signs the certificates of allowed clients, PEM',
    )
    .option('--page <host:port>', 'where browsers reach the page on which people prove destinations')
    .option('--page-certificate <file>', 'with --page: certificate of the page, PEM')
    .option('--page-key <file>', 'with --page: private key of that certificate, PEM')
    .action(run);
  withPassphrase(signer.command('init'))
    .description(
      'Makes a key and prints its 24 words once, or imports a key; prints the addresses that the gateway needs.',
    )
    .option('--import <file>', 'take the words of BIP-39, or the seed in hexadecimal digits, from this file')
    .action(init);
  withFolder(signer.command('enrol'))
    .description(
      'Prints a link, valid once within 24 hours, by which a person enrols a passkey on the page of the signer. The signer may be running.',
    )
    .requiredOption(
      '--account <id>',
      'account whose destinations the passkey may prove, by its id at the gateway',
    )
    .requiredOption('--name <name>', 'name of the person, as passkeys.json has it')
    .action(enrol);
  return signer;
}

function withFolder(command: Command): Command {
  return command
    .requiredOption('--folder <path>', 'folder of key file, policy and record; no one else may read it')
    .addOption(jsonOption());
}

function withPassphrase(command: Command): Command {
  return withFolder(command).option(
    '--passphrase-file <file>',
    'file with the passphrase of the key file; by default it is asked for',
  );
}

async function enrol(options: EnrolOptions): Promise<void> {
  const { makeEnrolment } = await import('../signer/index.ts');
  const made = makeEnrolment(options.folder, options);
  const lines = [
    'Give this link to the person in a way that you trust. It works once, within 24 hours.',
    `  ${made.url}`,
  ];
  answer(options, made, lines.join('\n'));
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
  const page = pageAddressOf(options);
  const passphrase = await passphraseOf(options);
  const output = standardError();
  const { wallet, limits, stop } = await startSigner(
    options.folder,
    passphrase,
    { gateway: address, page },
    logTo(output),
  );
  const addresses = [
    'socket' in address ? address.socket : hostAndPort(address),
    ...(page ? [hostAndPort(page)] : []),
  ];
  const listening = addresses.join(' and ');
  const text = [...linesOf(wallet), ...limits, `listens at ${listening}`].join('\n');
  answer(options, { ...wallet, limits, listensAt: listening }, text);
  await untilInterrupted(
    'what was signed is on the disk',
    (signal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  ).finally(async () => {
    await stop();
    await output.drain(LOG_DRAIN_MS);
  });
}

/**
 * One line of JSON per entry; standard output is for the operator. A log that cannot be written never ends or delays
 * the signer.
 */
function logTo(output: LogOutput): RunLog {
  const write = (level: string, event: string, facts: object) =>
    output.write(`${JSON.stringify({ level, time: new Date().toISOString(), event, ...facts })}\n`);
  return {
    signed: (facts) => write('info', 'signed', facts),
    alarm: (facts) => write('alarm', 'refused', facts),
  };
}

function linesOf({ hot, xpub }: WalletFacts): string[] {
  return Object.keys(hot).flatMap((network) => [
    `${network}  hot wallet ${hot[network]}`,
    `${network}  deposits   ${xpub[network]}`,
  ]);
}

function listenAddressOf({ socket, listen, certificate, key, clientCa }: RunOptions): ListenAddress {
  if (socket !== undefined && listen === undefined) return { socket };
  const [, host, port] = HOST_AND_PORT.exec(listen ?? '') ?? [];
  if (socket !== undefined || !host || !port || !certificate || !key || !clientCa)
    throw new SignerError(
      'expected --socket, or --listen <host:port> with --certificate, --key and --client-ca',
    );
  return { host, port: Number(port), certificateFile: certificate, keyFile: key, clientCaFile: clientCa };
}

function pageAddressOf({ page, pageCertificate, pageKey }: RunOptions): PageAddress | undefined {
  if (page === undefined) {
    if (pageCertificate === undefined && pageKey === undefined) return undefined;
    throw new SignerError('expected --page <host:port> with --page-certificate and --page-key');
  }
  const [, host, port] = HOST_AND_PORT.exec(page) ?? [];
  const address = { host: host ?? '', port: Number(port) };
  if (host && port && pageCertificate !== undefined && pageKey !== undefined)
    return { ...address, certificateFile: pageCertificate, keyFile: pageKey };
  if (!host || !port || pageCertificate !== undefined || pageKey !== undefined || !LOOPBACK.test(host))
    throw new SignerError(
      'expected --page <host:port> with --page-certificate and --page-key, or without both at 127.0.0.1 or ::1',
    );
  return address;
}

const HOST_AND_PORT = /^(.+):(\d{1,5})$/;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/;

const hostAndPort = ({ host, port }: { readonly host: string; readonly port: number }) => `${host}:${port}`;

async function passphraseOf({ passphraseFile }: { readonly passphraseFile?: string }): Promise<string> {
  if (passphraseFile !== undefined) return readFileSync(passphraseFile, 'utf8').replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) throw new SignerError('expected --passphrase-file if there is no terminal');
  process.stderr.write('Passphrase: ');
  // Typed characters are not shown.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const passphrase = await terminal.question('');
  terminal.close();
  process.stderr.write('\n');
  return passphrase;
}
