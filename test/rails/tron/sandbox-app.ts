/** The gateway with the rail of TRON in place of the sandbox's, a node of the test, and the signer behind its socket. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterAll, beforeAll } from 'vitest';
import { tronAddress } from '../../../src/base/chain/address.ts';
import type { RailPlan, RailsFile } from '../../../src/compose/rails-file.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createSigner } from '../../../src/rails/chain/signer-process.ts';
import { createTron, readTronSettings } from '../../../src/rails/tron/index.ts';
import { readPolicy } from '../../../src/signer/policy.ts';
import { openRecord, type SignedRecord } from '../../../src/signer/record.ts';
import { openServer } from '../../../src/signer/serve.ts';
import { createSignerService } from '../../../src/signer/signer.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import { type TestApp, useApp } from '../../support/app.ts';
import { OPEN_POLICY } from '../../support/signer.ts';
import { startTronNode, type TronNode } from '../../support/tron-node.ts';

const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
/** The hot wallet, which begins with 1,000 TRX and 1,000 USDT. */
export const HOT = wallet.hot.TRX as string;
/** One TRX, and one USDT. */
export const ONE = 1_000_000n;
/** Blocks until what was in the newest one is final. */
export const FINAL = 20;

/** An address of nobody. @param byte which */
export const addressOf = (byte: number): string => tronAddress(new Uint8Array(20).fill(byte));

/** What the tests of a file work with. */
export interface SandboxTron {
  readonly app: TestApp;
  /** There once the tests run. */
  readonly node: TronNode;
  readonly rail: NetworkRail;
  readonly record: SignedRecord;
}

/**
 * @param own settings of the network, over those that every file has
 * @param policy the signer's
 * @param pageUrl origin of the signer's page, as the gateway has it in its settings
 */
export function useSandboxTron(
  own: Readonly<Record<string, unknown>> = {},
  policy: object = OPEN_POLICY,
  pageUrl?: string,
): SandboxTron {
  const tron = {} as { -readonly [Name in keyof SandboxTron]: SandboxTron[Name] };
  const overrides: { railsFile?: RailsFile } = {};
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crossramp-tron-'));
    const policyFile = join(folder, 'policy.json');
    writeFileSync(policyFile, JSON.stringify(policy));
    tron.record = openRecord(join(folder, 'signed.sqlite'));
    const service = createSignerService(wallet, readPolicy(policyFile), tron.record);
    const log = { signed: () => {}, refused: () => {} };
    server = await openServer(service, { socket: join(folder, 's') }, log, tron.record.refused);
    tron.node = await startTronNode();
    tron.node.give(HOT, 'TRX', 1_000n * ONE);
    tron.node.give(HOT, 'USDT', 1_000n * ONE);
    tron.node.mine(FINAL);
    const given = { kind: 'tron', providers: [tron.node.url], hotAddress: HOT, xpub: wallet.xpub.TRX };
    const fees = { networkFees: { USDT_TRX: '2' } };
    const settings = readTronSettings({ ...given, ...fees, ...own }, 'sandbox.networks.TRX', 'TRX');
    const plan: RailPlan = {
      pix: undefined,
      rates: undefined,
      liquidity: undefined,
      identity: undefined,
      screening: undefined,
      signer: () => createSigner({ address: { socket: join(folder, 's') }, pageUrl }),
      networks: new Map([
        [
          'TRX',
          (tools) => {
            tron.rail = createTron({ ...settings, pollMs: 1 }, tools);
            return tron.rail;
          },
        ],
      ]),
    };
    overrides.railsFile = { sandbox: plan };
  });
  tron.app = useApp(overrides);
  beforeAll(() => tron.rail.cycle());
  afterAll(async () => {
    await tron.node.close();
    await new Promise((resolve) => server.close(resolve));
    tron.record.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return tron;
}
