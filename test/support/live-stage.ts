/**
 * A live account with all that it needs, each a process on this machine: `crossramp psp` as the bank, an Ethereum node (anvil), `crossramp
 * signer`, a feed of rates, and the gateway, which has them by RAILS_FILE. Each but the node can be killed and started again.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLATFORM_SCOPES, SCOPES } from '../../src/base/access/api-key.ts';
import { type EvmNode, startEvmNode } from './evm-node.ts';
import { freePort } from './free-port.ts';
import { newHome } from './home.ts';
import { begin, crossramp, start } from './process.ts';
import { newSigner, OPEN_POLICY, type SignerHome, startSigner } from './signer.ts';

/** Where everything is, once it runs. */
export interface LiveStage {
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: string;
  /** The control server of the PSP. */
  readonly control: string;
  readonly node: EvmNode;
  /** Where the network's money is sent from. */
  readonly hotAddress: string;
  readonly accountId: string;
  readonly apiKey: string;
  /** Kills a process. */
  readonly end: (name: 'psp' | 'signer' | 'gateway') => Promise<unknown>;
  /** Kills a process and starts it again, at the same place, on what it kept. */
  readonly kill: (name: 'psp' | 'signer' | 'gateway') => Promise<void>;
}

/** How a stage is set up otherwise. */
export interface StageOptions {
  /** Takes a line about what is done. */
  readonly say?: (line: string) => void;
  /** Puts something between the gateway and the node. @returns the providers of the network. */
  readonly providersOf?: (node: EvmNode) => Promise<readonly string[]>;
  /** The shipped limits of the signer and those of the inventory do not hold, and the hot wallet has as much as it takes. */
  readonly isLarge?: boolean;
  /** More of the rails of RAILS_FILE, beside those of the stage. */
  readonly rails?: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;
type Env = Readonly<Record<string, string>>;
/** A process that runs. */
type Ending = { readonly end: (signal: NodeJS.Signals) => Promise<unknown> };

/** The currency of the network, and its decimals. */
export const CURRENCY = 'USDT_ETH';
/** @see CURRENCY */
export const DECIMALS = 6;
/** Who pays crypto. */
export const PAYER = '0x00000000000000000000000000000000000aa001';
/** What the payer and the hot wallet have of the currency, minor units. */
export const FLOAT = 1_000n * 10n ** BigInt(DECIMALS);
const ETHER = 10n ** 18n;
/** What is as good as no limit. */
const MUCH = '100000000';
const LARGE_POLICY = {
  all: { hour: MUCH, day: MUCH },
  unproven: { ...OPEN_POLICY.unproven, hour: MUCH, day: MUCH },
  ...{ currencies: { [CURRENCY]: { hour: MUCH, day: MUCH } }, perMinute: 100_000 },
};
const PRICE = '5.40';
const PATIENCE_MS = 300_000;

/**
 * The steps of docs/going-live.md, in its order.
 *
 * @param given - settings of the gateway: `CROSSRAMP_HOME`, and `DATABASE_URL` where it is not the embedded database,
 *   `PORT` where something has to know it before.
 * @param atEnd - is called with each thing that has to be ended, the last first.
 */
export async function setUpLive(
  given: Env,
  atEnd: (end: () => unknown) => void,
  {
    say: translate = () => {},
    providersOf = async ({ url }) => [url],
    isLarge = false,
    rails: others,
  }: StageOptions = {},
): Promise<LiveStage> {
  const node = await startEvmNode();
  atEnd(node.stop);
  const { home, remove } = newHome();
  atEnd(remove);
  const ports = { psp: await freePort(), control: await freePort(), callback: await freePort() };
  const policy = isLarge ? LARGE_POLICY : OPEN_POLICY;
  const running: Record<string, Ending> = {};
  const startProcess = async <Process extends Ending>(name: string, process: Promise<Process>) => {
    const started = await process;
    if (!running[name]) atEnd(() => running[name]?.end('SIGTERM'));
    running[name] = started;
    return started;
  };
  await startProcess('psp', startPsp(given, home, ports));
  const signer = await newSigner(policy);
  atEnd(signer.remove);
  const rates = await startFeed();
  atEnd(rates.end);
  const signing = await startProcess('signer', startSigner(signer));
  translate(signing.said.trim());
  for (const holder of [PAYER, signer.facts.hot.ETH as string]) {
    await node.give(holder, isLarge ? 1_000n * ETHER : ETHER);
    await node.give(holder, isLarge ? 1_000n * FLOAT : FLOAT, CURRENCY);
  }
  await node.mine(3);
  const file = join(home, 'live.json');
  const { pix } = JSON.parse(readFileSync(join(home, 'rails.json'), 'utf8')).sandbox;
  const limit = isLarge ? MUCH : '1000';
  writeFileSync(
    file,
    JSON.stringify({
      live: { ...railsOf(pix, await providersOf(node), signer, rates.url, limit), ...others },
    }),
  );
  const env = { ...given, RAILS_FILE: file, PORT: given.PORT ?? String(await freePort()) };
  const gateway = await startProcess('gateway', start(env));
  translate(`the gateway answers at ${gateway.baseUrl}`);
  const starts: Record<string, () => Promise<Ending>> = {
    psp: () => startPsp(given, home, ports),
    signer: () => startSigner(signer),
    gateway: () => start(env),
  };
  const account = ['account', 'create', '--name', 'Loja Azul', '--mode', 'live', '--unprotected'];
  const { accountId } = await run(env, ...account);
  const scopes = SCOPES.filter((scope) => !(PLATFORM_SCOPES as readonly string[]).includes(scope)).join();
  const { apiKey } = await run(env, 'key', 'create', '--account', accountId, '--scopes', scopes);
  await until(node, 'rails of which doctor says that they are well', () => areWell(env, translate));
  const end: LiveStage['end'] = async (name) => running[name]?.end('SIGKILL');
  return {
    ...{ env, node, accountId, apiKey, end, hotAddress: signer.facts.hot.ETH as string },
    gateway: gateway.baseUrl,
    control: `http://127.0.0.1:${ports.control}`,
    kill: async (name) => {
      await end(name);
      await startProcess(name, (starts[name] as () => Promise<Ending>)());
    },
  };
}

/** The rails of live accounts: what a bank, a node and a wallet give, as in docs/rails.md. */
function railsOf(
  pix: object,
  providers: readonly string[],
  { socket, facts }: SignerHome,
  feed: string,
  limit: string,
): object {
  const prices = [
    { asset: 'USDT', path: '$.usdt' },
    { asset: 'ETH', path: '$.eth' },
  ];
  return {
    pix: { ...pix, pollSeconds: 1, sendAgainSeconds: 5 },
    networks: {
      ETH: {
        kind: 'evm',
        providers,
        confirmations: 2,
        pollSeconds: 1,
        xpub: facts.xpub.ETH,
        hotAddress: facts.hot.ETH,
        networkFees: { [CURRENCY]: '0.50' },
      },
    },
    signer: { socket },
    rates: { kind: 'feeds', everySeconds: 1, feeds: [{ name: 'alpha', url: feed, prices }] },
    liquidity: { kind: 'inventory', positions: { [CURRENCY]: { long: limit, short: limit } } },
    identity: 'off',
    screening: 'off',
  };
}

/** What `doctor` says of the rails; at first some of them may not have answered yet. */
async function areWell(env: Env, translate: (line: string) => void): Promise<boolean> {
  const { stdout } = await crossramp(env, 'doctor', '--json');
  const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout).checks;
  const bad = checks.filter(({ check, ok }) => check.startsWith('live ') && !ok);
  for (const { check, detail } of bad) translate(`${check}: ${detail}`);
  return bad.length === 0;
}

/** Lets blocks come until there is something. */
export async function until<Found>(
  node: EvmNode,
  what: string,
  look: () => Promise<Found | null | undefined | false | ''>,
  patienceMs = PATIENCE_MS,
): Promise<Found> {
  const endMs = Date.now() + patienceMs;
  while (Date.now() < endMs) {
    const found = await look();
    if (found) return found;
    await node.mine();
    await sleep(300);
  }
  throw new Error(`did not come: ${what}`);
}

/** An answer of JSON. @throws where it is a refusal. */
export async function json(response: Response): Promise<Json> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Runs a command that prints JSON. */
export async function run(env: Env, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await crossramp(env, ...args, '--json');
  if (code !== 0) throw new Error(`crossramp ${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

async function startPsp(
  env: Env,
  home: string,
  ports: Record<'psp' | 'control' | 'callback', number>,
): Promise<Ending> {
  const places = ['--port', ports.psp, '--control-port', ports.control, '--callback-port', ports.callback];
  const { child, ended } = begin(env, 'psp', '--home', home, ...places.map(String), '--json');
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), failed]);
  failed.catch(() => {});
  return {
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** A feed of rates. */
async function startFeed() {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ usdt: PRICE, eth: '25000' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, end };
}
