/** A real EVM node on this machine (anvil), which makes blocks only when it is told to, with token contracts where the catalogue says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { TOKEN_CONTRACTS } from '../../src/base/chain/token-contract.ts';
import { TOKEN_CODE } from './evm-token.ts';
import { freePort } from './free-port.ts';

/** The node. */
export interface EvmNode {
  readonly url: string;
  readonly call: (method: string, ...params: unknown[]) => Promise<unknown>;
  /** Makes blocks, one when not said otherwise. */
  readonly mine: (blocks?: number) => Promise<void>;
  /** Gives an address so much of a currency of the catalogue, minor units; of the coin without a currency. */
  readonly give: (address: string, amount: bigint, currency?: string) => Promise<void>;
  readonly balance: (address: string, currency?: string) => Promise<bigint>;
  /** Sends of a currency as if the sender had signed it, into the next block; after all others of its own without a nonce. @returns its hash. */
  readonly pay: (
    from: string,
    to: string,
    amount: bigint,
    currency?: string,
    nonce?: number,
  ) => Promise<string>;
  /** Takes all transactions away that wait for a block. */
  readonly forget: () => Promise<void>;
  /** Does nothing for a while, as when its machine hangs. */
  readonly hang: (ms: number) => Promise<void>;
  /** Kills it and starts it again at the same place, with its blocks and without what waits for one. Other calls wait for that. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const START_MAX_MS = 20_000;
const CPUS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** Always the same, so that a payment that is made again has the same hash. */
const GAS_PRICE = '0x174876e800';
const TRANSFER = '0xa9059cbb';
const BALANCE_OF = '0x70a08231';
const wordOf = (value: string | bigint) =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0');
const hexOf = (value: bigint | number) => `0x${value.toString(16)}`;

/** @param chainId - 1, Ethereum's, when not given. */
export async function startEvmNode(chainId = 1): Promise<EvmNode> {
  const running = await run(chainId, await freePort());
  const { url, call } = running;
  const contractOf = (currency: string) => TOKEN_CONTRACTS.get(currency) as string;
  for (const contract of TOKEN_CONTRACTS.values())
    if (contract.startsWith('0x')) await call('anvil_setCode', contract, TOKEN_CODE);
  const node: EvmNode = {
    url,
    call,
    mine: async (blocks = 1) => {
      for (let made = 0; made < blocks; made++) await call('evm_mine');
    },
    give: async (address, amount, currency) => {
      if (currency === undefined) await call('anvil_setBalance', address, hexOf(amount));
      else
        await call('anvil_setStorageAt', contractOf(currency), `0x${wordOf(address)}`, `0x${wordOf(amount)}`);
    },
    balance: async (address, currency) => {
      if (currency === undefined) return BigInt((await call('eth_getBalance', address, 'latest')) as string);
      const asked = { to: contractOf(currency), data: BALANCE_OF + wordOf(address) };
      return BigInt((await call('eth_call', asked, 'latest')) as string);
    },
    pay: async (from, to, amount, currency, nonce) => {
      const data = TRANSFER + wordOf(to) + wordOf(amount);
      const sent =
        currency === undefined
          ? { from, to, value: hexOf(amount), gas: hexOf(21_000), gasPrice: GAS_PRICE }
          : { from, to: contractOf(currency), data, gas: hexOf(100_000), gasPrice: GAS_PRICE };
      const at = nonce === undefined ? {} : { nonce: hexOf(nonce) };
      return (await call('eth_sendTransaction', { ...sent, ...at })) as string;
    },
    forget: async () => void (await call('anvil_dropAllTransactions')),
    hang: running.hang,
    restart: running.restart,
    stop: running.stop,
  };
  return node;
}

/** The process, and the next one at its place. */
async function run(
  chainId: number,
  port: number,
): Promise<Pick<EvmNode, 'url' | 'call' | 'hang' | 'restart' | 'stop'>> {
  let child = spawnNode(chainId, port);
  // Also where a file ends without that its hooks run.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const place = await listening(child);
  const url = `http://${place}`;
  let isThere = Promise.resolve();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const again = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossramp-node-'));
    try {
      const state = (await query(url, 'anvil_dumpState', [])) as string;
      const file = join(folder, 'state.json');
      writeFileSync(file, gunzipSync(Buffer.from(state.slice(2), 'hex')));
      await kill();
      child = spawnNode(chainId, Number(place.split(':')[1]), '--load-state', file);
      await listening(child);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return {
    url,
    call: async (method, ...params) => {
      await isThere;
      return query(url, method, params);
    },
    hang: async (ms) => {
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
    },
    restart: () => {
      isThere = again();
      return isThere;
    },
    stop: async () => {
      process.off('exit', end);
      await kill();
    },
  };
}

function spawnNode(chainId: number, port: number, ...options: string[]): ChildProcess {
  const settings = ['--port', port, '--chain-id', chainId, '--accounts', 1].map(String);
  return spawn(binary(), [...settings, '--no-mining', '--auto-impersonate', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${CPUS[process.arch]}`;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return join(dirname(manifest), 'bin', 'anvil');
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the node does not start: ${text}`)), START_MAX_MS);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the node ended with ${code}: ${text}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      const [, place] = /Listening on (\S+)/.exec(text) ?? [];
      if (!place) return;
      clearTimeout(timer);
      resolve(place);
    });
  });
}

async function query(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
